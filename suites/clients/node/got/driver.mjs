#!/usr/bin/env node
// A driver that has got judged, with its own retries.
//
// What a policy says becomes these settings:
//
//     attempts              retry.limit: attempts - 1, as retries do not count the first
//     methods, statuses     retry.methods, retry.statusCodes
//     backoff               retry.calculateDelay, within got's own rules (enforceRetryRules); without jitter
//     retry_after_cap_ms    retry.maxRetryAfter
//     timeouts.attempt_ms   timeout.request, which is each attempt's
//     deadline_ms, cancel   signal
//     ca_file               https.certificateAuthority
//
// Answers with a status of 400 and above are answers here, and no errors
// (throwHttpErrors), also when retries are used up.

import got, { AbortError, ReadError, TimeoutError } from 'got'
import { agents, answered, authorities, failed, pauses, serve, version } from '../kit.mjs'

class Client {
  constructor (policy, caFile) {
    const pause = pauses(policy.backoff)
    this.agents = agents(caFile)
    this.got = got.extend({
      agent: this.agents,
      https: { certificateAuthority: authorities(caFile) },
      retry: {
        limit: policy.attempts - 1,
        methods: policy.methods,
        statusCodes: policy.statuses,
        maxRetryAfter: policy.retry_after_cap_ms,
        enforceRetryRules: true,
        calculateDelay: ({ attemptCount, retryAfter, computedValue }) => retryAfter ? computedValue : pause(attemptCount)
      },
      timeout: { request: policy.timeouts?.attempt_ms },
      throwHttpErrors: false,
      allowGetBody: true,
      responseType: 'buffer'
    })
  }

  async call (call) {
    try {
      const response = await this.got(call.url, {
        method: call.method,
        headers: call.headers(),
        body: call.body(),
        signal: call.signal
      })
      return answered(response.statusCode, response.headers, response.body)
    } catch (error) {
      return failed(error, { kindOf, answered: error instanceof ReadError, lastStatus: error.response?.statusCode })
    }
  }

  close () {
    this.agents.http.destroy()
    this.agents.https.destroy()
  }
}

function kindOf (error) {
  if (error instanceof AbortError) return 'canceled'
  if (error instanceof TimeoutError) return 'timeout'
}

serve({
  name: 'got',
  version: version('got'),
  capabilities: [
    'retry', 'attempts', 'backoff', 'timeout', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
    'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'tls'
  ]
}, Client)
