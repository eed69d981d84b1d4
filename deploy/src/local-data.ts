/** What the one process keeps in its data folder, opened. */
import { join } from 'node:path'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { ensureFirstAccount, hasFirstAccount, identityCollections } from '@millhand/identity'
import type { Plans } from '@millhand/plans'
import { systemClock as clock, type Runner } from '@millhand/process'
import { DiskRoom, openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import type { Log } from '@millhand/telemetry'
import { ensureBootstrapKeys } from './bootstrap-keys.ts'
import { firstPlans } from './config-parts.ts'
import type { LocalConfig } from './local-config.ts'
import { secretKey } from './secret-key.ts'

/** The documents and the blobs. */
export async function openStore({ dataDir, diskReserveBytes }: LocalConfig, runner: Runner, log: Log) {
  const room = new DiskRoom({ folder: dataDir, reserveBytes: diskReserveBytes, log })
  await room.look()
  runner.run('disk room', signal => room.run(clock, signal))
  const db = runner.own(openSqlite({ file: join(dataDir, 'millhand.db'), log, room }))
  await db.check()
  return { db, blobs: await filesystemBlobs(join(dataDir, 'blobs'), room) }
}

/** The process's secret, and the keys of the first account, which is there from now on. */
export async function openAccounts(config: LocalConfig, db: SqliteDatabase, plans: Plans) {
  const owned = identityCollections(db)
  const isFirstStart = async () => !(await hasFirstAccount(owned))
  const secret = await secretKey({ dataDir: config.dataDir, configured: config.secretKey, isFirstStart })
  const keys = await ensureBootstrapKeys(config.dataDir, config.bootstrap)
  await ensureFirstAccount({ ...owned, clock }, { keys, plans: firstPlans(config.bootstrapPlans, plans) })
  return { secret, keys }
}
