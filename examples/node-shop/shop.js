// A shop with one defect: POST /orders hands its body on to the warehouse as a
// stream, and a retry of that stream is empty.
'use strict'

const http = require('node:http')
const { randomUUID } = require('node:crypto')

const PORT = 18100
const WAREHOUSE_URL = process.env.WAREHOUSE_URL || 'http://127.0.0.1:18101'
const ATTEMPTS = 3
const PAUSE = 100 // ms
const RETRIED = [429, 502, 503, 504]

// reserve sends the order to the warehouse, up to ATTEMPTS times, with a key by
// which the warehouse knows it again. The order is a stream that the first attempt
// reads to its end, which is the defect.
async function reserve (order) {
  const key = `"${randomUUID()}"`
  for (let attempt = 1; ; attempt++) {
    const result = await post(order, key).catch(error => ({ failure: `the warehouse could not be asked: ${error.code}` }))
    if (!result.failure) return
    if (result.final || attempt === ATTEMPTS) throw new Error(result.failure)
    const seconds = Number(result.retryAfter) || (Date.parse(result.retryAfter) - Date.now()) / 1000 || 0
    await new Promise(resolve => setTimeout(resolve, Math.max(PAUSE, seconds * 1000)))
  }
}

// post sends one request, which has to be answered 201 with a whole body.
function post (order, key) {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
    const request = http.request(`${WAREHOUSE_URL}/reservations`, { method: 'POST', headers }, answer => {
      answer.on('error', reject).resume().on('end', () => resolve({
        failure: answer.statusCode !== 201 && `the warehouse answered ${answer.statusCode}`,
        final: !RETRIED.includes(answer.statusCode),
        retryAfter: answer.headers['retry-after']
      }))
    })
    request.on('error', reject)
    order.pipe(request)
  })
}

http.createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end()
  try {
    await reserve(request)
    response.writeHead(201).end('ordered\n')
  } catch (failure) {
    response.writeHead(502).end(failure.message)
  }
}).listen(PORT, '127.0.0.1')
