import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ok, rawReceiver, testDialer } from './receivers.fixture.ts'

test('a post is answered, with the status and how the body begins', async t => {
  const receiver = await rawReceiver(t, ({ socket }) => socket.write(ok('thanks')))
  const answer = await testDialer(t).to(receiver.url)
  assert.deepEqual(answer, { kind: 'answered', status: 200, excerpt: 'thanks', ms: answer.ms })
})
