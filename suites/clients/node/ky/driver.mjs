#!/usr/bin/env node
// A driver that has ky judged, with its own retries, over the fetch of Node.js.
//
// What a policy says becomes these settings:
//
//     attempts              retry.limit: attempts - 1, as retries do not count the first
//     methods, statuses     retry.methods, retry.statusCodes
//     backoff               retry.delay, retry.backoffLimit; full jitter is retry.jitter, and there is no other
//     retry_after_cap_ms    retry.maxRetryAfter
//     timeouts.attempt_ms   timeout, with retry.retryOnTimeout: it is each attempt's, though the readme says the
//                           call's, which it is from version 2 on; it ends with the answer's head
//     deadline_ms, cancel   signal
//     ca_file               dispatcher, which ky passes on to fetch
//
// A status that is to be retried is an error also when retries are used up; all others
// are answers (throwHttpErrors), since ky retries what is an error.

import ky from 'ky'
import { Unsupported, dispatcher, fetched, pauses, serve, version } from '../kit.mjs'

class Client {
  constructor (policy, caFile) {
    const { jitter } = policy.backoff
    if (jitter !== 'none' && jitter !== 'full') throw new Unsupported(`no ${jitter} jitter`)
    this.dispatcher = dispatcher(caFile)
    this.ky = ky.extend({
      dispatcher: this.dispatcher,
      retry: {
        limit: policy.attempts - 1,
        methods: policy.methods,
        statusCodes: policy.statuses,
        delay: pauses({ ...policy.backoff, jitter: 'none' }),
        backoffLimit: policy.backoff.max_ms,
        jitter: jitter === 'full',
        maxRetryAfter: policy.retry_after_cap_ms,
        retryOnTimeout: true
      },
      timeout: policy.timeouts?.attempt_ms,
      throwHttpErrors: status => policy.statuses.includes(status)
    })
  }

  call (call) {
    return fetched(() => this.ky(call.url, {
      method: call.method,
      headers: call.pairs,
      body: call.webBody(),
      signal: call.signal
    }))
  }

  close () {
    return this.dispatcher.destroy()
  }
}

serve({
  name: 'ky',
  version: version('ky'),
  capabilities: [
    'retry', 'attempts', 'backoff', 'timeout', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
    'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'tls'
  ]
}, Client)
