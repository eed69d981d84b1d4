import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeCollecting } from './collecting.contract.ts'

describeCollecting('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-payments-'))
  const db = openSqlite({ file: join(folder, 'billing.db') })
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
