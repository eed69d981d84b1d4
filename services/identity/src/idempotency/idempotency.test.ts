import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeIdempotency, type Opened } from './idempotency.contract.ts'
import { idempotencySpec } from './idempotency-record.ts'

describeIdempotency('SQLite', async (): Promise<Opened> => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-idempotency-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    records: db.collection(idempotencySpec),
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
