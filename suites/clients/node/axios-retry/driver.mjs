#!/usr/bin/env node
// A driver that has axios judged, with axios-retry.
//
// What a policy says becomes these settings of axios-retry, and of axios where it says so:
//
//     attempts              retries: attempts - 1, as they do not count the first
//     methods, statuses     retryCondition, which retries isNetworkError too; validateResponse
//     backoff               retryDelay, no less than the exported retryAfter, as it is in those of axios-retry's
//                           own; without jitter
//     timeouts.attempt_ms   axios's timeout, with shouldResetTimeout; clarifyTimeoutError of axios makes of its end
//                           an ETIMEDOUT, which isNetworkError retries
//     deadline_ms           axios's timeout, which is the call's without shouldResetTimeout; it cannot be both
//     cancel                axios's signal
//     ca_file               axios's httpsAgent
//
// A status that is to be retried is an error also when retries are used up; all others
// are answers.

import axios from 'axios'
import axiosRetry, { retryAfter } from 'axios-retry'
import { Unsupported, agents, answered, failed, pauses, serve, version } from '../kit.mjs'

class Client {
  constructor (policy, caFile) {
    if (policy.retry_after_cap_ms) throw new Unsupported('no cap of Retry-After')
    const pause = pauses(policy.backoff)
    this.attempt = policy.timeouts?.attempt_ms
    this.agents = agents(caFile)
    this.axios = axios.create({
      httpAgent: this.agents.http,
      httpsAgent: this.agents.https,
      proxy: false,
      transitional: { clarifyTimeoutError: true },
      responseType: 'arraybuffer'
    })
    axiosRetry(this.axios, {
      retries: policy.attempts - 1,
      retryCondition: error => policy.methods.includes(error.config.method.toUpperCase()) &&
        (axiosRetry.isNetworkError(error) || policy.statuses.includes(error.response?.status)),
      retryDelay: (retry, error) => Math.max(pause(retry), retryAfter(error)),
      validateResponse: response => !policy.statuses.includes(response.status)
    })
  }

  async call (call) {
    if (this.attempt && call.deadline) throw new Unsupported('one timeout, of an attempt or of the call')
    try {
      const response = await this.axios.request({
        url: call.url,
        method: call.method,
        headers: call.headers(),
        data: call.body(),
        timeout: this.attempt ?? call.deadline,
        'axios-retry': { shouldResetTimeout: this.attempt !== undefined },
        signal: call.canceled
      })
      return answered(response.status, response.headers.toJSON(), response.data)
    } catch (error) {
      return failed(error, { kindOf, answered: error.code === 'ERR_BAD_RESPONSE', lastStatus: error.response?.status })
    }
  }

  close () {
    this.agents.http.destroy()
    this.agents.https.destroy()
  }
}

function kindOf (error) {
  if (axios.isCancel(error)) return 'canceled'
}

serve({
  name: 'axios-retry',
  version: `${version('axios-retry')} on axios ${version('axios')}`,
  capabilities: [
    'retry', 'attempts', 'backoff', 'timeout', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
    'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'tls'
  ]
}, Client)
