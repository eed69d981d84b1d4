import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { Connection } from './connection.ts'
import { boundPipelining } from './pipelining.ts'

/** The pieces in which node gets what is read at once. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  const socket = new Socket()
  socket.push = (chunk: Buffer) => {
    pieces.push(chunk.toString('latin1'))
    return true
  }
  boundPipelining(socket, new Connection({ stopping: false, publicUrl: undefined, senderMs: 1, readerMs: 1 }, () => {}))
  socket.push(Buffer.from(text, 'latin1'))
  assert.equal(pieces.join(''), text)
  return pieces
}

const get = 'GET /v1/tasks HTTP/1.1\r\nHost: a\r\n\r\n'
const post = (body: string) => `POST /v1/tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test('a request with its body is one piece, and so is a part of a body', () => {
  assert.equal(piecesOf(post('x'.repeat(1_000))).length, 1)
  assert.equal(piecesOf('x'.repeat(65_536)).length, 1)
})

test('the end of a head and a request behind it are one piece', () => {
  assert.equal(piecesOf(`\n${post('x'.repeat(1_000))}`).length, 1)
})

for (const [name, text] of [
  ['many requests', get.repeat(1_000)],
  ['requests behind the end of a body', 'x'.repeat(600) + get.repeat(2)],
  ['a body with blank lines', post('\r\n\r\n'.repeat(300))],
] as const) {
  test(`${name} are pieces of 512 bytes`, () => {
    const pieces = piecesOf(text)
    assert.equal(pieces.length, Math.ceil(text.length / 512))
    assert.ok(pieces.every(piece => piece.length <= 512))
  })
}
