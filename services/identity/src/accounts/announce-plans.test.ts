/** Each account has its event, whichever version of Millhand made or changed it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { countingIds } from '@millhand/api'
import { manualClock } from '@millhand/process'
import { noAccount } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { type Accounts, accountsSpec } from './account.ts'
import { runAnnouncement } from './announce-plans.ts'

it('accounts that another version makes or changes while this one runs are told of', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-announce-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const events: [type: string, key: string][] = []
  const stored: Accounts = db.collection(accountsSpec)
  const accounts: Accounts = {
    ...stored,
    write(change) {
      for (const { type, key } of change.events) events.push([type, key])
      return stored.write(change)
    },
  }
  const clock = manualClock(1)
  const ids = countingIds()
  const plans = { compute: 'starter', developer: 'free', workforce: 'starter' }
  const account = { tenant: noAccount, name: 'a', status: 'active', created_at: 1, plans, resource_version: 1 } as const
  const make = (id: string, told?: string) =>
    accounts.write({ kind: 'insert', document: { ...account, id, ...(told && { plans_told: told }) }, events: [] })
  const ending = new AbortController()
  /** Whom the next event is about, as time goes on. */
  const told = async () => {
    for (const deadline = performance.now() + 120_000; events.length === 0; ) {
      assert.ok(performance.now() < deadline, 'nothing is told')
      await new Promise(resolve => setTimeout(resolve, 5))
      await clock.advance(600_000)
    }
    return events.splice(0)
  }
  try {
    await make('acct_a')
    const running = runAnnouncement({ accounts, clock, ids, log: createLog({ level: 'error' }) }, ending.signal)
    assert.deepEqual(await told(), [['account.plans_changed', 'acct_a']])

    await make('acct_b', 'starter free starter')
    await make('acct_c')
    assert.deepEqual(await told(), [['account.plans_changed', 'acct_c']])

    const b = await accounts.get(noAccount, 'acct_b')
    assert.ok(b)
    const document = { ...b, plans: { ...plans, developer: 'pro' }, resource_version: 2 }
    await accounts.write({ kind: 'replace', version: b.version, document, events: [] })
    assert.deepEqual(await told(), [['account.plans_changed', 'acct_b']])
    ending.abort()
    await running
  } finally {
    await db.close()
    await rm(folder, { recursive: true })
  }
})
