#!/usr/bin/env node
// A driver that has fetch-retry judged, around the fetch of Node.js.
//
// What a policy says becomes these settings:
//
//     attempts              retries: attempts - 1, as they do not count the first
//     statuses              retryOn
//     backoff               retryDelay; without jitter
//     timeouts.attempt_ms   headersTimeout, bodyTimeout and connect.timeout of fetch's dispatcher
//     deadline_ms, cancel   signal, of fetch
//     ca_file               connect.ca of fetch's dispatcher
//
// It has no setting for the methods.

import fetchRetry from 'fetch-retry'
import { dispatcher, fetched, pauses, serve, version } from '../kit.mjs'

class Client {
  constructor (policy, caFile) {
    const pause = pauses(policy.backoff)
    this.dispatcher = dispatcher(caFile, policy.timeouts?.attempt_ms)
    this.fetch = fetchRetry(fetch, {
      retries: policy.attempts - 1,
      retryOn: policy.statuses,
      retryDelay: attempt => pause(attempt + 1)
    })
  }

  call (call) {
    return fetched(() => this.fetch(call.url, {
      method: call.method,
      headers: call.pairs,
      body: call.webBody(),
      duplex: 'half',
      signal: call.signal,
      dispatcher: this.dispatcher
    }))
  }

  close () {
    return this.dispatcher.destroy()
  }
}

serve({
  name: 'fetch-retry',
  version: version('fetch-retry'),
  capabilities: [
    'retry', 'attempts', 'backoff', 'timeout', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
    'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'tls'
  ]
}, Client)
