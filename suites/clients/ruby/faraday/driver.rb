# frozen_string_literal: true

# A driver that has Faraday judged, with its own retry middleware and its adapter
# for Net::HTTP.
#
# What a policy says becomes these settings of the middleware:
#
#     attempts              max: attempts - 1, as retries do not count the first
#     methods, statuses     methods, retry_statuses
#     backoff               interval, backoff_factor, max_interval; neither linear nor with jitter,
#                           since interval_randomness comes on top
#     retry_after_cap_ms    max_interval, where the backoff has no maximum of its own
#     timeouts.attempt_ms   timeout of the requests
#     ca_file               ca_file of ssl
#
# Not among the capabilities are timeout and cancel: a call can neither be given a
# deadline for all of its attempts nor be ended from another thread.

# Version 1.1.0 uses DateTime without loading it, so that its first retry after an
# answer is a NameError in a program that has not: lostisland/faraday#1206.
require 'date'
require 'faraday'
require 'net/http'
require_relative '../kit'

Faraday.ignore_env_proxy = true

KINDS = {
  Errno::ECONNREFUSED => 'connect',
  Faraday::TimeoutError => 'timeout',
  Timeout::Error => 'timeout',
  Errno::ECONNRESET => 'reset',
  Errno::EPIPE => 'reset',
  EOFError => 'reset',
  Net::HTTPBadResponse => 'protocol',
  Net::ProtocolError => 'protocol'
}.freeze

CAPABILITIES = %w[
  retry attempts backoff attempt-timeout method headers request-body streamed-body
  shared parallel status error-kind response-body tls
].freeze

# A Faraday connection, which opens one of TCP for each attempt.
class Client
  def initialize(policy, ca_file)
    attempt = policy.dig('timeouts', 'attempt_ms')
    options = { request: { timeout: attempt && (attempt / 1000.0) }, ssl: { ca_file: ca_file } }
    @connection = Faraday.new(options) do |faraday|
      faraday.request :retry, retries(policy)
      faraday.adapter :net_http
    end
  end

  def call(call)
    response = @connection.run_request(call.method.downcase.to_sym, call.url, call.body, headers(call))
    Kit.answered(response.status, response.headers.to_a, response.body)
  rescue StandardError => e
    Kit.failed(e, KINDS)
  end

  def close
    @connection.close
  end

  private

  def retries(policy)
    backoff = policy['backoff']
    if backoff['kind'] == 'linear' || backoff['jitter'] != 'none'
      raise Kit::Unsupported, "the middleware has no #{backoff['kind']} backoff with #{backoff['jitter']} jitter"
    end

    longest = backoff['max_ms'] || policy['retry_after_cap_ms']
    {
      max: policy['attempts'] - 1,
      methods: policy['methods'].map { |method| method.downcase.to_sym },
      retry_statuses: policy['statuses'],
      interval: backoff['base_ms'] / 1000.0,
      backoff_factor: backoff['factor'] || 1,
      max_interval: longest && (longest / 1000.0)
    }.compact
  end

  def headers(call)
    joined = call.headers.group_by(&:first).transform_values { |pairs| pairs.map(&:last).join(', ') }
    call.stream? ? joined.merge('Transfer-Encoding' => 'chunked') : joined
  end
end

Kit.serve(name: 'faraday', version: Faraday::VERSION, capabilities: CAPABILITIES, client: Client)
