#!/usr/bin/env node
// A driver that has superagent judged, with its own retries.
//
// What a policy says becomes these settings:
//
//     attempts              retry: attempts - 1, as retries do not count the first
//     methods               retry is asked for with those alone, as its documentation says
//     statuses              the callback of retry, which leaves all but statuses to superagent
//     timeouts.attempt_ms   timeout's deadline, which is each attempt's
//     cancel                abort
//     ca_file               ca
//
// A streamed body is piped into the request.
//
// Answers with a status of 400 and above are answers here, and no errors (ok). There is
// no pause before a retry, and no deadline of a call that spans its retries.

import { once } from 'node:events'
import { Readable } from 'node:stream'
import superagent from 'superagent'
import { agents, answered, authorities, failed, serve, version } from '../kit.mjs'

class Client {
  constructor (policy, caFile) {
    this.policy = policy
    this.ca = authorities(caFile)
    this.agents = agents(caFile)
  }

  async call (call) {
    const { attempts, methods, statuses, timeouts } = this.policy
    const request = superagent(call.method, call.url)
      .agent(call.url.startsWith('https:') ? this.agents.https : this.agents.http)
      .ca(this.ca)
      .set(call.headers())
      .responseType('arraybuffer')
      .ok(() => true)
    if (timeouts?.attempt_ms) request.timeout({ deadline: timeouts.attempt_ms })
    if (methods.includes(call.method)) {
      request.retry(attempts - 1, (error, response) => response && statuses.includes(response.status))
    }
    call.signal.addEventListener('abort', () => { request.abort() }) // it returns a promise of the call
    try {
      const response = await sent(request, call.body())
      return answered(response.status, response.headers, response.body)
    } catch (error) {
      // It sets headers after Node.js has sent a head with Expect, and then sends no body.
      if (error.code === 'ERR_HTTP_HEADERS_SENT') return { outcome: 'unsupported', reason: error.message }
      return failed(error, { kindOf, lastStatus: error.response?.status })
    }
  }

  close () {
    this.agents.http.destroy()
    this.agents.https.destroy()
  }
}

// sent is the answer to a request with a body; a stream is piped into the request.
async function sent (request, body) {
  if (body instanceof Readable) {
    body.pipe(request, { end: false }) // it ends where its answer is awaited
    const failure = once(request, 'error').then(([error]) => { throw error })
    await Promise.race([once(body, 'end'), once(request, 'abort'), failure])
  } else if (body) {
    request.send(body)
  }
  return request
}

function kindOf (error) {
  if (error.code === 'ABORTED') return 'canceled'
  if (error.timeout) return 'timeout'
}

serve({
  name: 'superagent',
  version: version('superagent'),
  capabilities: [
    'retry', 'attempts', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
    'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'tls'
  ]
}, Client)
