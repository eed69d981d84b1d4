import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { Connection, type Messages } from '../connection.ts'
import { readRequests, type SingleRead } from './single-reads.ts'

const create = Buffer.from('POST /v1/tasks HTTP/1.1\r\nHost: a.test\r\nContent-Length: 7\r\n\r\n{"a":1}')
const READER_MS = 7

const turn = () => new Promise(resolve => setImmediate(resolve))

/** A connection on which a request has come. What is written to it is taken when the test calls `taken`. */
async function begin() {
  const connection = new Connection(
    { stopping: false, publicUrl: undefined, senderMs: 1, readerMs: READER_MS },
    () => {},
  )
  const served: SingleRead[] = []
  const timeouts: number[] = []
  let taken = () => {}
  const duplex = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      taken = done
    },
  })
  const socket = Object.assign(duplex, {
    setTimeout: (ms: number) => timeouts.push(ms),
    destroySoon: () => duplex.end(),
  }) as unknown as Socket
  socket.pause()
  readRequests(socket, create, {
    connection,
    toNode: () => socket.on('data', () => connection.adopt?.({ req: {}, res: {} } as Messages)),
    serve: request => served.push(request),
  })
  await turn()
  const [request] = served
  assert.ok(request !== undefined)
  return { connection, socket, served, request, timeouts, taken: () => taken() }
}

for (const [name, goOn] of [
  ['node takes over', request => request.toNode()],
  ['is answered', request => request.answer(200, [], '', false, () => {})],
] satisfies [string, (request: SingleRead) => void][]) {
  test(`a request that ${name} keeps its body no longer`, async () => {
    const { request } = await begin()
    assert.equal(request.body.length, 7)
    goOn(request)
    assert.equal(request.body.length, 0)
  })
}

test('what comes behind the last answer is not served', async () => {
  const { socket, served, request } = await begin()
  request.answer(200, [], '', true, () => {})
  socket.push(create)
  await turn()
  assert.equal(served.length, 1)
})

test("an answer that is sent after the connection became node's leaves node's timeout", async () => {
  const { connection, socket, request, timeouts, taken } = await begin()
  connection.unsent.push({} as Connection['unsent'][number])
  let isSent = false
  request.answer(200, [], '', false, () => {
    isSent = true
  })
  socket.push(create)
  taken()
  await turn()
  assert.ok(isSent)
  assert.equal(timeouts.at(-1), READER_MS)
})
