/** Where webhooks may go, as an operator has it who allows nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from './server.ts'
import { assertProblem, digit } from './tasks.ts'

test('webhooks go to none of the operator’s own addresses where nothing allows them, in the sandbox neither', async () => {
  await using server = await startServer({ env: { MILLHAND_WEBHOOK_ALLOW: undefined } })
  for (const key of [server.key, server.testKey]) {
    const headers = { authorization: `Bearer ${key}` }
    for (const url of [
      'http://127.0.0.1:4/',
      'https://127.0.0.1:4/',
      'https://[::ffff:7f00:1]:4/',
      'https://2130706433:4/',
    ]) {
      const json = { url, events: ['*'] }
      assertProblem(await server.request('POST', '/v1/webhooks', { json, headers }), 400, 'invalid_parameter', 'url')
      const task = digit(1, { callback: { url } })
      const answer = await server.request('POST', '/v1/tasks', { json: task, headers })
      assertProblem(answer, 400, 'invalid_parameter', 'callback.url')
    }
  }
  // In the sandbox plain http may go to what is public.
  const json = { url: 'http://example.com/', events: ['batch.completed'] }
  assertProblem(await server.request('POST', '/v1/webhooks', { json }), 400, 'invalid_parameter', 'url')
  const headers = { authorization: `Bearer ${server.testKey}` }
  assert.equal((await server.request('POST', '/v1/webhooks', { json, headers })).status, 201)
})
