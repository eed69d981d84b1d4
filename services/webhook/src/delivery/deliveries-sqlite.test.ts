import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@millhand/store/sqlite'
import { describeDeliveries, type OpenedStore } from './deliveries.contract.ts'
import { describeDeliveryCalls } from './delivery-calls.contract.ts'
import { describePutOffs } from './put-offs.contract.ts'

const open = async (): Promise<OpenedStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-deliveries-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  return {
    db,
    async close() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

describeDeliveries('sqlite', open)
describeDeliveryCalls('sqlite', open)
describePutOffs('sqlite', open)
