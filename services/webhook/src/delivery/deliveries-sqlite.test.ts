import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeDeliveries } from './deliveries.contract.ts'

describeDeliveries('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-deliveries-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    db,
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
