/** A key that is revoked through one gateway soon works at none, also while the log is away. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { startSystem } from './system.ts'

const KEYS = 100
/** Revoked at once, so that polls come at any moment of their lives. */
const AT_ONCE = 10
/** A second on a machine that is not full; gateway/test/keys.test.ts holds that second on a simulated clock. */
const ALLOWED_MS = 10_000

test('of 100 keys none is taken long after it was revoked, the last 50 of them while Kafka is away', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-revocation-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await using system = await startSystem({ root: repository, folder })
  const urls = system.urls()
  assert.equal(urls.length, 2)
  const call = async (url: string, key: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(url, { ...init, headers })
    return { status: answer.status, body: (await answer.json()) as { id: string; key: string; code?: string } }
  }
  const statusAt = (url: string, key: string) => call(`${url}/v1/tasks?limit=1`, key)

  /** A call between processes may lose its answer where the machine is busy: it is made again. */
  const isUnavailable = (status: number) => status === 503 || status === 504
  async function answered(ask: () => ReturnType<typeof call>): ReturnType<typeof call> {
    let answer = await ask()
    while (isUnavailable(answer.status)) answer = await ask()
    return answer
  }

  /** Asks a gateway until the key is refused; gives how long after its revocation the last request was sent that passed. */
  async function lastTaken(url: string, key: string, revokedAt: number): Promise<number> {
    let last = 0
    for (;;) {
      const sentAt = performance.now()
      const { status, body } = await statusAt(url, key)
      if (status === 401 && body.code === 'revoked_credentials') return last
      if (isUnavailable(status)) continue
      assert.equal(status, 200, JSON.stringify(body))
      last = Math.max(0, sentAt - revokedAt)
      assert.ok(last < ALLOWED_MS, `it was taken ${last} ms after it was revoked`)
    }
  }

  async function revokeOne(n: number): Promise<number[]> {
    const [here = '', there = ''] = n % 2 === 0 ? urls : urls.toReversed()
    const body = JSON.stringify({ name: `key ${n}`, scopes: ['tasks:read'] })
    const made = await answered(() => call(`${here}/v1/api_keys`, system.key, { method: 'POST', body }))
    assert.equal(made.status, 201)
    const { id, key } = made.body
    for (const url of [here, there]) assert.equal((await answered(() => statusAt(url, key))).status, 200)
    const revoke = () => call(`${here}/v1/api_keys/${id}`, system.key, { method: 'DELETE' })
    assert.equal((await answered(revoke)).status, 200)
    const revokedAt = performance.now()
    return await Promise.all([here, there].map(url => lastTaken(url, key, revokedAt)))
  }

  const taken: number[] = []
  for (let n = 0; n < KEYS; n += AT_ONCE) {
    if (n === KEYS / 2) await system.kafka.kill()
    const lasts = await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => revokeOne(n + more)))
    taken.push(...lasts.flat())
  }
  assert.equal(taken.length, 2 * KEYS)
  taken.sort((a, b) => a - b)
  t.diagnostic(
    `taken at the latest after: ${Math.round(taken[KEYS] ?? 0)} ms (p50), ${Math.round(taken.at(-1) ?? 0)} ms (most)`,
  )
})
