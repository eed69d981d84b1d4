/** `millhand_webhook_owner`: of several replicas at most one says that it is the owner. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCursors } from '@millhand/api'
import { manualClock } from '@millhand/process'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog, createMetrics } from '@millhand/telemetry'
import { createWebhookService } from './webhook-service.ts'

test('a replica whose ownership has ended says so, also while what it did goes on', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-owner-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  t.after(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  const log = createLog({ level: 'error' })
  const metrics = createMetrics()
  let holds = true
  const [reading, stalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const service = createWebhookService({
    db,
    events: {
      async *tail() {
        reading.resolve()
        await stalled.promise
        yield* []
      },
      progress: async () => ({ read: 0, end: 0 }),
    },
    dial: { post: () => assert.fail() },
    targetFault: () => undefined,
    cursors: createCursors(Buffer.alloc(32, 1)),
    sealingKey: Buffer.alloc(32, 2),
    clock: manualClock(),
    log,
    metrics,
    isOwner: () => holds,
  })
  const owner = async () => /^millhand_webhook_owner (\d)$/m.exec(await metrics.text(log))?.[1]
  assert.equal(await owner(), '0')
  const ownership = new AbortController()
  let hasEnded = false
  const running = service.run(ownership.signal).finally(() => {
    hasEnded = true
  })
  await reading.promise
  assert.equal(await owner(), '1')
  // A process that stood still is asked before it has ended its work.
  holds = false
  assert.equal(await owner(), '0')
  holds = true
  ownership.abort()
  assert.deepEqual([await owner(), hasEnded], ['0', false])
  stalled.resolve()
  await running
  assert.equal(await owner(), '0')
})
