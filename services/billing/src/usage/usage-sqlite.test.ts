import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeUsage } from './usage.contract.ts'

describeUsage('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-usage-'))
  const db = openSqlite({ file: join(folder, 'usage.db') })
  return {
    db,
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
