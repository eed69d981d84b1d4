import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import type { Document } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { describeIntake, type OpenedLog } from './intake.contract.ts'
import { describeSpill } from './spill.contract.ts'

async function open(): Promise<OpenedLog> {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-intake-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const writers = db.collection<Document, never>({ name: 'writers', indexes: {} })
  return {
    db,
    events: sqliteEventLog(db),
    async append(...events) {
      await writers.write({ kind: 'insert', document: { tenant: 't', id: crypto.randomUUID() }, events })
    },
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

describeIntake('sqlite', open)
describeSpill('sqlite', open, { killedEvery: 1 })
