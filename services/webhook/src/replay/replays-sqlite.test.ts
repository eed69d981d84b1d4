import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeTestEvents } from '../rpc/test-webhook.contract.ts'
import { describeReplays } from './replays.contract.ts'

async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-replays-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    db,
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

describeReplays('sqlite', open)
describeTestEvents('sqlite', open)
