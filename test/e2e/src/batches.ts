/** Batches, as callers use them. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from './http.ts'
import type { Served } from './server.ts'
import { answered } from './tasks.ts'

/** Creates a batch; the answer's body. On a full machine it is sent again, with its key, as the answer says. */
export async function createBatch(server: Served, json: object): Promise<Wire> {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const answer = await answered(() => server.request('POST', '/v1/batches', { json, headers }), [503, 504])
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.headers.location, `/v1/batches/${answer.body.id}`)
  return answer.body
}

/** The batch, once it is as it should be. */
export async function batchOnce(server: Served, id: string, isSo: (batch: Wire) => boolean): Promise<Wire> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const { status, body, text } = await answered(() => server.request('GET', `/v1/batches/${id}`))
    assert.equal(status, 200, text)
    if (isSo(body)) return body
    assert.ok(performance.now() < deadline, text)
    await pause(50)
  }
}

/** The batch, once it has ended. */
export const batchEnded = (server: Served, id: string): Promise<Wire> =>
  batchOnce(server, id, ({ finished_at }) => finished_at !== undefined)

/** The lines of a file of JSON Lines; none where there is no file. */
export async function linesOf(server: Served, file: string | undefined): Promise<Wire[]> {
  if (file === undefined) return []
  const { status, text } = await server.request('GET', `/v1/files/${file}/content`)
  assert.equal(status, 200, text)
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}
