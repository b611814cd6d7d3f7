#!/usr/bin/env node
// A driver that has undici judged, with undici's own RetryAgent.
//
// It speaks the protocol of docs/protocol.md: JSON lines on standard input and
// output.
//
//     npm ci --prefix suites/clients/undici
//     faultsrv clients check -- node suites/clients/undici/driver.mjs
//
// What a policy says becomes these settings of undici:
//
//     attempts              RetryAgent maxRetries: attempts - 1, as retries do not count the first
//     methods, statuses     RetryAgent methods, statusCodes
//     backoff               RetryAgent minTimeout, timeoutFactor, maxTimeout; neither linear nor with jitter
//     retry_after_cap_ms    RetryAgent maxTimeout, where the backoff has no maximum of its own
//     timeouts.attempt_ms   Agent headersTimeout, bodyTimeout and connect.timeout
//     deadline_ms           a signal that a timer aborts
//     ca_file (of open)     Agent connect.ca

import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { Agent, RetryAgent, request } from 'undici'

const hello = {
  type: 'hello',
  protocol: 1,
  client: {
    name: 'undici',
    version: createRequire(import.meta.url)('undici/package.json').version,
    language: `Node.js ${process.versions.node}`
  },
  capabilities: [
    'retry', 'attempts', 'backoff', 'timeout', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
    'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'tls'
  ]
}

// What the codes of errors are. undici's own begin with UND_ERR; those of its
// parser with HPE.
const kinds = {
  UND_ERR_REQ_RETRY: 'exhausted',
  ECONNREFUSED: 'connect',
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated'
}

// openClient makes a client with a policy and connections of its own, or says
// what it has no setting for.
function openClient (policy, caFile) {
  const { backoff, timeouts, retry_after_cap_ms: cap } = policy
  if (backoff?.kind === 'linear' || (backoff && backoff.jitter !== 'none')) {
    return { unsupported: `RetryAgent has no ${backoff.kind} backoff with ${backoff.jitter} jitter` }
  }
  const options = { connect: {} }
  if (timeouts?.attempt_ms) {
    options.headersTimeout = options.bodyTimeout = options.connect.timeout = timeouts.attempt_ms
  }
  if (caFile) options.connect.ca = readFileSync(caFile)
  return {
    agent: new RetryAgent(new Agent(options), {
      maxRetries: policy.attempts && policy.attempts - 1,
      methods: policy.methods,
      statusCodes: policy.statuses,
      minTimeout: backoff?.base_ms,
      timeoutFactor: backoff?.factor ?? 1,
      maxTimeout: backoff?.max_ms ?? cap
    })
  }
}

// call makes a call as a program would, and gives its result.
async function call (agent, run, controller) {
  const started = performance.now()
  // Not AbortSignal.any with AbortSignal.timeout, which Node.js 20 may collect
  // before its time: https://github.com/nodejs/node/pull/57867
  const expire = () => controller.abort(new DOMException('the deadline', 'TimeoutError'))
  const deadline = run.deadline_ms && setTimeout(expire, run.deadline_ms)
  const result = { outcome: 'response' }
  try {
    const response = await request(run.url, {
      dispatcher: agent,
      method: run.method,
      headers: run.headers.flat(),
      body: await bodyOf(run.body),
      signal: controller.signal
    })
    result.status = response.statusCode
    result.headers = pairs(response.headers)
    await read(response.body, result)
  } catch (error) {
    if (error.code === 'UND_ERR_NOT_SUPPORTED') {
      result.outcome = 'unsupported'
      result.reason = error.message
    } else {
      result.outcome = 'error'
      result.error = explain(error, result.status !== undefined)
    }
  }
  clearTimeout(deadline)
  result.elapsed_ms = performance.now() - started
  return result
}

// bodyOf is the bytes of a body, or a stream of them, which cannot be rewound.
async function bodyOf (body) {
  if (!body) return undefined
  return body.stream ? createReadStream(body.file) : readFile(body.file)
}

// read reads an answer to its end, as a program would that wants to have it.
async function read (body, result) {
  const hash = createHash('sha256')
  let length = 0
  for await (const piece of body) {
    hash.update(piece)
    length += piece.length
  }
  result.body_sha256 = hash.digest('hex')
  result.body_length = length
}

function pairs (headers) {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().map(value => [name, value]))
}

// explain tells the kind of an error. The connection's end is a cut body where
// the answer had begun.
function explain (error, answered) {
  const failure = { kind: 'other', message: `${error.name}: ${error.message}` }
  if (error.name === 'AbortError') {
    failure.kind = 'canceled'
  } else if (error.name === 'TimeoutError') {
    failure.kind = 'timeout'
  } else if (error.code?.startsWith('HPE_')) {
    failure.kind = 'protocol'
  } else {
    failure.kind = kinds[error.code] ?? 'other'
  }
  if (answered && failure.kind === 'reset') failure.kind = 'truncated'
  if (error.statusCode) failure.last_status = error.statusCode
  return failure
}

const agents = new Map() // by their client's number
const calls = new Map() // what cancels them, by their seq

const handlers = {
  open ({ client, policy, ca_file: caFile }) {
    const { agent, unsupported } = openClient(policy, caFile)
    if (agent) agents.set(client, agent)
    send({ type: 'opened', client, unsupported })
  },
  async run (message) {
    const controller = new AbortController()
    calls.set(message.seq, controller)
    const result = await call(agents.get(message.client), message, controller)
    calls.delete(message.seq)
    send({ type: 'result', seq: message.seq, ...result })
  },
  cancel ({ seq }) {
    calls.get(seq)?.abort()
  },
  async close ({ client }) {
    await agents.get(client).destroy()
    agents.delete(client)
    send({ type: 'closed', client })
  }
}

function send (message) {
  process.stdout.write(JSON.stringify(message) + '\n')
}

send(hello)
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  handlers[message.type](message)
}
process.exit(0) // whatever is still open
