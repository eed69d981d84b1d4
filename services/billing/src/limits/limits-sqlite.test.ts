import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeLimits } from './limits.contract.ts'

describeLimits('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-limits-'))
  const db = openSqlite({ file: join(folder, 'billing.db') })
  return {
    db,
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
