# frozen_string_literal: true

# What the Ruby drivers share: the protocol of docs/protocol.md.
#
# A driver says what its library is called and can do, and how a client is opened:
#
#     Kit.serve(name: ..., version: ..., capabilities: [...], client: Client)
#
# Client.new(policy, ca_file) is a client with a policy, as the protocol words it.
# It raises Unsupported for one that its library has no setting for. It has two
# methods: call(call), which makes a Call and gives its result, and close. Each call
# runs in a thread of its own.

require 'digest'
require 'json'

module Kit
  # The library has no setting for this.
  class Unsupported < StandardError; end

  # A body that can be read only once.
  class Once
    def initialize(path)
      @file = File.open(path, 'rb')
    end

    def read(length = nil, into = nil)
      @file.read(length, into)
    end
  end

  # A call as faultsrv asks for it.
  class Call
    attr_reader :method, :url, :headers

    def initialize(message)
      @method = message['method']
      @url = message['url']
      @headers = message['headers']
      @body = message['body']
    end

    def stream?
      @body&.fetch('stream')
    end

    # The body's bytes, or for a stream a reader without a way back; nil for none.
    def body
      return if @body.nil?

      stream? ? Once.new(@body['file']) : File.binread(@body['file'])
    end
  end

  module_function

  # The result of a call that got an answer, which was read to its end. Headers
  # are pairs.
  def answered(status, headers, body)
    {
      outcome: 'response', status: status, headers: headers,
      body_sha256: Digest::SHA256.hexdigest(body), body_length: body.bytesize
    }
  end

  # The result of a call that ended in an error. The kinds are by class, and the
  # first that matches counts: of the error, and then of what caused it.
  def failed(error, kinds)
    found = causes(error).filter_map { |cause| kinds.find { |of, _| of === cause }&.last }.uniq
    found = ['other'] if found.empty?
    { outcome: 'error', error: { kind: found.first, chain: found.drop(1), message: "#{error.class}: #{error.message}" } }
  end

  def causes(error)
    error.nil? ? [] : [error, *causes(error.cause)]
  end

  # Answers the messages on standard input until it ends.
  def serve(name:, version:, capabilities:, client:)
    Driver.new(client).run(
      type: 'hello', protocol: 1, capabilities: capabilities,
      client: { name: name, version: version, language: "Ruby #{RUBY_VERSION}" }
    )
  end

  class Driver
    def initialize(client_class)
      @client_class = client_class
      @clients = {}
      @sending = Mutex.new
    end

    def run(hello)
      send_message(hello)
      $stdin.each_line do |line|
        message = JSON.parse(line)
        case message['type']
        when 'open' then open_client(message)
        when 'run' then start(message)
        when 'close' then close(message['client'])
        end
      end
      exit! 0 # whatever still runs
    end

    private

    def send_message(message)
      @sending.synchronize do
        $stdout.puts(JSON.generate(message))
        $stdout.flush
      end
    end

    def open_client(message)
      opened = { type: 'opened', client: message['client'] }
      begin
        @clients[message['client']] = @client_class.new(message['policy'], message['ca_file'])
      rescue Unsupported => e
        opened[:unsupported] = e.message
      end
      send_message(opened)
    end

    def start(message)
      client = @clients[message['client']]
      started = now
      Thread.new do
        result = result_of(client, Call.new(message))
        send_message(type: 'result', seq: message['seq'], elapsed_ms: (now - started) * 1000, **result)
      end
    end

    def result_of(client, call)
      client.call(call)
    rescue Unsupported => e
      { outcome: 'unsupported', reason: e.message }
    end

    def close(number)
      @clients.delete(number).close
      send_message(type: 'closed', client: number)
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
