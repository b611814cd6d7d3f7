# frozen_string_literal: true

# A driver that has Ruby's own Net::HTTP judged, which retries idempotent requests
# whose connection was lost.
#
# What a policy says becomes these settings:
#
#     attempts              max_retries: attempts - 1, as retries do not count the first
#     timeouts.attempt_ms   open_timeout, read_timeout and write_timeout
#     ca_file               ca_file
#
# Not among the capabilities are: backoff, since Net::HTTP never pauses; timeout
# and cancel, since a call can neither be given a deadline for all of its attempts
# nor be ended from another thread. No answer is retried, and the methods are
# fixed.

require 'net/http'
require_relative '../kit'

KINDS = {
  Errno::ECONNREFUSED => 'connect',
  Timeout::Error => 'timeout', # Net::OpenTimeout, Net::ReadTimeout and Net::WriteTimeout
  Errno::ETIMEDOUT => 'timeout',
  Errno::ECONNRESET => 'reset',
  Errno::EPIPE => 'reset',
  EOFError => 'reset',
  Net::HTTPBadResponse => 'protocol',
  Net::ProtocolError => 'protocol'
}.freeze

CAPABILITIES = %w[
  retry attempts attempt-timeout method headers request-body streamed-body
  shared parallel status error-kind response-body tls
].freeze

# As many Net::HTTP as calls run at the same time: each has one connection and is
# for one thread.
class Client
  def initialize(policy, ca_file)
    @retries = policy['attempts'] - 1
    attempt = policy.dig('timeouts', 'attempt_ms')
    @timeout = attempt / 1000.0 if attempt
    @ca_file = ca_file
    @idle = Queue.new
  end

  def call(call)
    uri = URI(call.url)
    http = idle || connection(uri)
    http.start unless http.started?
    response = http.request(request(call, uri))
    Kit.answered(response.code.to_i, response.each_header.to_a, response.body || '')
  rescue StandardError => e
    Kit.failed(e, KINDS)
  ensure
    @idle << http if http
  end

  def close
    while (http = idle)
      http.finish if http.started?
    end
  end

  private

  def idle
    @idle.pop(true)
  rescue ThreadError # it is empty
    nil
  end

  def connection(uri)
    http = Net::HTTP.new(uri.host, uri.port, nil) # nil: past every proxy
    http.max_retries = @retries
    http.open_timeout = http.read_timeout = http.write_timeout = @timeout if @timeout
    http.use_ssl = uri.scheme == 'https'
    http.ca_file = @ca_file if @ca_file
    http
  end

  def request(call, uri)
    body = call.body
    has_answer_body = call.method != 'HEAD'
    request = Net::HTTPGenericRequest.new(call.method, !body.nil?, has_answer_body, uri.request_uri)
    call.headers.each { |name, value| request.add_field(name, value) }
    if call.stream?
      request['Transfer-Encoding'] = 'chunked'
      request.body_stream = body
    elsif body
      request.body = body
    end
    request
  end
end

Kit.serve(name: 'ruby-net-http', version: Net::HTTP::VERSION, capabilities: CAPABILITIES, client: Client)
