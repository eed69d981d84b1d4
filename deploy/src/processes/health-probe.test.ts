import assert from 'node:assert/strict'
import { test } from 'node:test'
import { probeHealth } from './health-probe.ts'

test('what stands still can not be used after 3 s, and can be once it answers', async () => {
  const ending = new AbortController()
  const said: (readonly [boolean, string | undefined])[] = []
  let asked = 0
  const health = {
    set(part: string, ready: boolean, reason?: string) {
      assert.equal(part, 'store')
      said.push([ready, reason])
      if (ready) ending.abort()
    },
    ready: () => assert.fail('nobody asks'),
  }
  await probeHealth(
    'store',
    health,
    async signal => {
      if (++asked === 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    ending.signal,
  )
  assert.deepEqual(said, [
    [false, 'The operation was aborted due to timeout'],
    [true, undefined],
  ])
})
