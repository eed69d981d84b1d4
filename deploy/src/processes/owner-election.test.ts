import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type OwnerRecord, ownersSpec } from '@millhand/lease'
import { createRunner } from '@millhand/process'
import { noAccount } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog, createMetrics } from '@millhand/telemetry'
import { type OwnedOptions, runOwnerElection } from './owner-election.ts'

test('the log and a metric say why a process is the owner no more', { timeout: 60_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-run-owned-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const lines: Record<string, unknown>[] = []
  const [begun, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const log = createLog({
    level: 'info',
    write(line) {
      const entry = JSON.parse(line)
      lines.push(entry)
      if (entry.event === 'ownership.begun') begun.resolve()
      if (entry.event === 'ownership.ended') taken.resolve()
    },
  })
  const metrics = createMetrics()
  const runner = createRunner({ log })
  t.after(async () => {
    await runner.stop('the test ends')
    await db.close()
    await rm(folder, { recursive: true })
  })
  runOwnerElection(
    {
      name: 'compute',
      address: 'http://127.0.0.1:1',
      leaseMs: 60_000,
      db: { collection: (spec: typeof ownersSpec) => db.collection(spec), prepare: async () => {} },
      events: { ensureTopics: async () => {} },
      topics: [],
      metrics,
      runner,
      log,
    } as unknown as OwnedOptions,
    owning => new Promise(resolve => owning.addEventListener('abort', () => resolve())),
  )
  await begun.promise
  const owners = db.collection<OwnerRecord, never>(ownersSpec)
  // The process itself may renew between the look and the write.
  for (let isTaken = false; !isTaken; ) {
    const record = await owners.get(noAccount, 'compute')
    assert.ok(record)
    const { version, ...document } = record
    const theirs = { ...document, holder: 'another process', address: 'http://127.0.0.1:2' }
    isTaken = (await owners.write({ kind: 'replace', version, document: theirs, events: [] })).kind === 'written'
  }
  await taken.promise
  const ended = lines.find(({ event }) => event === 'ownership.ended')
  assert.deepEqual([ended?.level, ended?.reason], ['warn', 'taken'])
  const text = await metrics.text(log)
  assert.match(text, /^millhand_ownership_ended_total\{service="compute",reason="taken"\} 1$/m)
  assert.match(text, /^millhand_ownership_ended_total\{service="compute",reason="expired"\} 0$/m)
})
