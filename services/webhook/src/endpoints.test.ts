import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeEndpoints } from './endpoints.contract.ts'

describeEndpoints('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-webhook-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    collection: spec => db.collection(spec),
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
