import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeReplays } from './replays.contract.ts'

describeReplays('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-replays-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    db,
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
})
