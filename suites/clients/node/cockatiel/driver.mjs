#!/usr/bin/env node
// A driver that has cockatiel judged, around the fetch of Node.js, as cockatiel's readme
// shows it: wrap(retry, circuitBreaker, timeout) around a function that fetches an answer
// and reads it.
//
// What a policy says becomes these settings:
//
//     attempts              maxAttempts of retry: attempts - 1, as they do not count the first
//     methods               what is not among them is called without retry
//     statuses              handleAll.orWhenResult
//     backoff               ConstantBackoff; ExponentialBackoff with its generators without jitter, with full
//                           jitter and with half of it, which double; for another growth an IterableBackoff
//     breaker               circuitBreaker with a ConsecutiveBreaker and halfOpenAfter; one probe at a time
//     timeouts.attempt_ms   timeout, with its aggressive strategy
//     deadline_ms, cancel   the signal of execute
//     ca_file               connect.ca of fetch's dispatcher
//
// Retry-After it does not read.

import {
  BrokenCircuitError, ConsecutiveBreaker, ConstantBackoff, ExponentialBackoff, IterableBackoff, TaskCancelledError,
  TimeoutStrategy, circuitBreaker, fullJitterGenerator, halfJitterGenerator, handleAll, noJitterGenerator, noop, retry,
  timeout, wrap
} from 'cockatiel'
import { Unsupported, answered, dispatcher, failed, pauses, serve, version } from '../kit.mjs'

const generators = { none: noJitterGenerator, full: fullJitterGenerator, equal: halfJitterGenerator }

// backoffOf is the backoff for a number of retries.
function backoffOf (backoff, retries) {
  const { kind, base_ms: base, factor, max_ms: max = Infinity, jitter } = backoff
  if (kind === 'constant' && jitter === 'none') return new ConstantBackoff(base)
  const doubles = kind === 'exponential' && factor === 2
  if (generators[jitter] && (doubles || kind === 'constant')) {
    return new ExponentialBackoff({
      generator: generators[jitter],
      initialDelay: base,
      maxDelay: doubles ? max : base
    })
  }
  const pause = pauses(backoff)
  return new IterableBackoff(Array.from({ length: Math.max(retries, 1) }, (_, index) => pause(index + 1)))
}

class Client {
  constructor ({ attempts, backoff, breaker, methods, statuses, timeouts }, caFile) {
    if (breaker && breaker.probes !== 1) throw new Unsupported(`no breaker with ${breaker.probes} probes at a time`)
    const failure = handleAll.orWhenResult(({ status }) => statuses.includes(status))
    this.methods = methods
    this.dispatcher = dispatcher(caFile)
    this.once = wrap(
      breaker
        ? circuitBreaker(failure, { halfOpenAfter: breaker.open_ms, breaker: new ConsecutiveBreaker(breaker.failures) })
        : noop,
      timeouts?.attempt_ms ? timeout(timeouts.attempt_ms, TimeoutStrategy.Aggressive) : noop
    )
    this.retrying = wrap(
      retry(failure, { maxAttempts: attempts - 1, backoff: backoffOf(backoff, attempts - 1) }),
      this.once
    )
  }

  async call (call) {
    const policy = this.methods.includes(call.method) ? this.retrying : this.once
    const body = call.webBody()
    try {
      const { status, headers, bytes } = await policy.execute(({ signal }) => this.fetch(call, body, signal), call.signal)
      return answered(status, headers, bytes)
    } catch (error) {
      return failed(error, { kindOf, answered: error.message === 'terminated' })
    }
  }

  async fetch ({ url, method, pairs }, body, signal) {
    const response = await fetch(url, { method, headers: pairs, body, duplex: 'half', signal, dispatcher: this.dispatcher })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  close () {
    return this.dispatcher.destroy()
  }
}

function kindOf (error) {
  if (error instanceof BrokenCircuitError) return 'circuit-open'
  if (error instanceof TaskCancelledError) return 'timeout'
}

serve({
  name: 'cockatiel',
  version: version('cockatiel'),
  capabilities: [
    'retry', 'attempts', 'backoff', 'timeout', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
    'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'breaker', 'tls'
  ]
}, Client)
