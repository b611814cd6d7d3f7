// What the Node drivers share: the protocol of docs/protocol.md.
//
// A driver says what its library is called and can do, and how a client is opened:
//
//     serve({ name, version, capabilities }, Client)
//
// new Client(policy, caFile) is a client with a policy, as the protocol words it. It
// throws Unsupported for one that its library has no setting for. It has two
// methods: call(call), which makes a Call and gives its result, or throws Unsupported,
// and close().

import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { Agent } from 'undici'

// The library has no setting for this.
export class Unsupported extends Error {}

// A call as faultsrv asks for it.
export class Call {
  #body
  #controller = new AbortController()
  #timer

  constructor ({ method, url, headers, body, deadline_ms: deadline }) {
    this.method = method
    this.url = url
    this.pairs = headers
    this.#body = body
    this.deadline = deadline // of the whole call, in milliseconds; undefined: none
    this.canceled = this.#controller.signal
    // Of the caller's end: its cancellation, or its deadline. Not AbortSignal.any with AbortSignal.timeout,
    // which Node.js 20 may collect before its time.
    const ended = new AbortController()
    this.signal = ended.signal
    this.canceled.addEventListener('abort', () => ended.abort())
    if (deadline) this.#timer = setTimeout(() => ended.abort(new DOMException('the deadline', 'TimeoutError')), deadline)
  }

  // The headers for a library that takes an object: a list where a name is repeated.
  headers () {
    const headers = {}
    for (const [name, value] of this.pairs) {
      headers[name] = name in headers ? [headers[name], value].flat() : value
    }
    return headers
  }

  // The body's bytes, or a stream of them that nobody can rewind; undefined for none.
  body () {
    if (!this.#body) return undefined
    return this.#body.stream ? Readable.from(pieces(this.#body.file)) : readFileSync(this.#body.file)
  }

  // The body for fetch, which takes no stream but the web's.
  webBody () {
    const body = this.body()
    return body instanceof Readable ? Readable.toWeb(body) : body
  }

  cancel () {
    this.#controller.abort()
  }

  end () {
    clearTimeout(this.#timer)
  }
}

// pieces hides that the bytes are a file's, which some libraries open again.
async function * pieces (file) {
  yield * createReadStream(file)
}

// version is that of a package, as it says itself.
export function version (name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version
}

// agents are what Node's global agents are, with connections and authorities of
// their own.
export function agents (caFile) {
  const options = { keepAlive: true, scheduling: 'lifo', timeout: 5000 }
  return {
    http: new http.Agent(options),
    https: new https.Agent({ ...options, ca: authorities(caFile) })
  }
}

// dispatcher is for fetch what its global dispatcher is, with connections and
// authorities of its own. attempt is how long an attempt may take to connect, to the
// answer's head, and between the pieces of its body, in milliseconds; undefined: as
// it comes.
export function dispatcher (caFile, attempt) {
  const options = { connect: { ca: authorities(caFile) } }
  if (attempt) options.headersTimeout = options.bodyTimeout = options.connect.timeout = attempt
  return new Agent(options)
}

// authorities are those of a file, undefined where there is none.
export function authorities (caFile) {
  return caFile && readFileSync(caFile)
}

// pauses gives the pause of a policy's backoff before the n-th retry, 1 the first,
// for libraries that have a hook for the delay, in milliseconds.
export function pauses ({ kind, base_ms: base, factor, max_ms: max = Infinity, jitter }) {
  if (jitter !== 'none') throw new Unsupported(`no ${kind} backoff with ${jitter} jitter`)
  const pause = {
    constant: () => base,
    linear: retry => base * retry,
    exponential: retry => base * factor ** (retry - 1)
  }[kind]
  return retry => Math.ceil(Math.min(pause(retry), max))
}

// answered is the result of a call that got an answer, which was read to its end.
// headers are an object with lists where a name came more than once, or pairs.
export function answered (status, headers, body) {
  const pairs = Symbol.iterator in headers
    ? [...headers]
    : Object.entries(headers).flatMap(([name, values]) => [values].flat().map(value => [name, value]))
  return {
    outcome: 'response',
    status,
    headers: pairs,
    body_sha256: createHash('sha256').update(body).digest('hex'),
    body_length: body.length
  }
}

// fetched is the result of a call by a function that fetches an answer; it reads the
// answer to its end.
export async function fetched (fetch) {
  let response
  try {
    response = await fetch()
    return answered(response.status, response.headers, Buffer.from(await response.arrayBuffer()))
  } catch (error) {
    return failed(error, { answered: response !== undefined, lastStatus: error?.response?.status })
  }
}

// What the codes of errors are: Node's, its parser's (HPE_…) and undici's (UND_ERR_…).
const kinds = {
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNREFUSED: 'connect',
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated'
}

const named = { AbortError: 'canceled', TimeoutError: 'timeout' }

// failed is the result of a call that ended in an error. kindOf tells the kinds that
// only the library's own types show, undefined of all others; answered says that an
// answer had begun, whose body is cut where the connection ends. A call that undici
// refuses to make is unsupported.
export function failed (error, { kindOf = () => undefined, answered = false, lastStatus } = {}) {
  const found = []
  for (const cause of causes(error, new Set())) {
    if (cause.code === 'UND_ERR_NOT_SUPPORTED') return { outcome: 'unsupported', reason: cause.message }
    let kind = kindOf(cause) ?? named[cause.name] ?? kinds[cause.code]
    if (!kind && String(cause.code).startsWith('HPE_')) kind = 'protocol'
    if (answered && kind === 'reset') kind = 'truncated'
    if (kind && !found.includes(kind)) found.push(kind)
  }
  const [kind = 'other', ...chain] = found
  return {
    outcome: 'error',
    error: { kind, chain, message: `${error?.name}: ${error?.message}`, last_status: lastStatus }
  }
}

// causes are an error and, in depth, those that it was caused by.
function * causes (error, seen) {
  if (!(error instanceof Object) || seen.has(error)) return
  seen.add(error)
  yield error
  for (const cause of [error.cause, ...(error.errors ?? [])]) yield * causes(cause, seen)
}

// serve answers the messages on standard input until it ends.
export async function serve ({ name, version, capabilities }, Client) {
  const clients = new Map() // by their number
  const calls = new Map() // by their seq

  const handlers = {
    open ({ client, policy, ca_file: caFile }) {
      const opened = { type: 'opened', client }
      try {
        clients.set(client, new Client(policy, caFile))
      } catch (missing) {
        if (!(missing instanceof Unsupported)) throw missing
        opened.unsupported = `${name} has ${missing.message}`
      }
      send(opened)
    },
    async run (message) {
      const started = performance.now()
      const call = new Call(message)
      calls.set(message.seq, call)
      const result = await made(clients.get(message.client), call)
      call.end()
      calls.delete(message.seq)
      send({ type: 'result', seq: message.seq, ...result, elapsed_ms: performance.now() - started })
    },
    cancel ({ seq }) {
      calls.get(seq)?.cancel()
    },
    async close ({ client }) {
      await clients.get(client).close()
      clients.delete(client)
      send({ type: 'closed', client })
    }
  }

  async function made (client, call) {
    try {
      return await client.call(call)
    } catch (missing) {
      if (!(missing instanceof Unsupported)) throw missing
      return { outcome: 'unsupported', reason: `${name} has ${missing.message}` }
    }
  }

  send({
    type: 'hello',
    protocol: 1,
    client: { name, version, language: `Node.js ${process.versions.node}` },
    capabilities
  })
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line)
    // In a turn of its own: undici puts a connection back into its pool in the turn after the
    // answer's end, and a call that begins before opens another.
    setImmediate(handlers[message.type], message)
  }
  process.exit(0) // whatever is still open
}

function send (message) {
  process.stdout.write(JSON.stringify(message) + '\n')
}
