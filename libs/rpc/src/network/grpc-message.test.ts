import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grpcTrailer } from './grpc-message.ts'

test('a message has only those characters encoded that gRPC has encoded', () => {
  for (const [text, encoded] of [
    ['`type` must be one of a, b: (c)', '`type` must be one of a, b: (c)'],
    ['100 % of ü\n', '100 %25 of %C3%BC%0A'],
    ['%2C', '%252C'],
    ['𝒳', '%F0%9D%92%B3'],
  ] as const) {
    // As Connect writes it.
    const trailer = new Headers({ 'grpc-status': '3', 'grpc-message': encodeURIComponent(text) })
    const sent = grpcTrailer(trailer)
    assert.equal(sent?.get('grpc-message'), encoded)
    assert.equal(sent?.get('grpc-status'), '3')
    // As grpc-js reads it.
    assert.equal(decodeURI(encoded), text)
  }
})

test('trailers without a message are left as they are', () => {
  const trailer = new Headers({ 'grpc-status': '0' })
  assert.equal(grpcTrailer(trailer), trailer)
  assert.equal(grpcTrailer(undefined), undefined)
})
