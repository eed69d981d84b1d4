import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import type { Database, Document } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { describeRebuild, documented } from './rebuild.contract.ts'
import { type HourRecord, hoursSpec } from './usage/usage-hour.ts'

describeRebuild('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-usage-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const writer = db.collection<Document, never>({ name: 'writers', indexes: {} })
  // Opened twice by the test: once a process is what a collection wants.
  const collections = new Map<string, unknown>()
  const once: Database = {
    collection(spec) {
      const made = collections.get(spec.name) ?? db.collection(spec)
      collections.set(spec.name, made)
      return made as ReturnType<typeof db.collection<never, never>>
    },
  }
  return {
    db: once,
    hours: once.collection<HourRecord, 'due'>(hoursSpec),
    events: sqliteEventLog(db),
    async append(events) {
      await writer.write({ kind: 'insert', document: { tenant: 't', id: 'w' }, events })
    },
    async drop() {
      const [, statements = ''] = /"\n([\s\S]*)"/.exec(documented('sqlite3 .millhand')) ?? []
      for (const statement of statements.split(';')) if (statement.trim() !== '') await db.execute(statement)
    },
    countHours: async () => db.read<[number]>('SELECT count(*) FROM usage_hours')[0]?.[0] ?? 0,
    async [Symbol.asyncDispose]() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
