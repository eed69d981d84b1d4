/** `pnpm serve first-account`: what an operator does once, where no variables set the first account's keys. */
import { createApiKey } from '@millhand/api'
import { type BootstrapKeys, ensureBootstrapKeys, type KeyRecord, keysSpec } from '@millhand/identity'
import { ConfigurationError, systemClock as clock, configuration } from '@millhand/runner'
import { type MongoDatabase, openMongo } from '@millhand/store/mongo'
import { isPassing } from '@millhand/store/mongo/connection'
import { createLog } from '@millhand/telemetry'
import { pick, variables } from '../variables.ts'

const read = configuration(pick('MILLHAND_MONGO_URL'), Object.keys(variables))

/** The first start of a database on a slow disk takes a while. */
const REACHED_WITHIN_MS = 60_000
const AGAIN_MS = 500

/**
 * A live and a test key of the first account, which is made where it is not there; more of them at each call. Nobody
 * can read them again.
 *
 * @throws ConfigurationError where the database can't be reached
 */
export async function firstAccount(env: NodeJS.ProcessEnv): Promise<BootstrapKeys> {
  const log = createLog({ level: 'error' })
  const db = openMongo({ url: read(env).MILLHAND_MONGO_URL, log })
  try {
    const keys = db.collection<KeyRecord, 'by_sha256'>(keysSpec)
    await untilReached(db)
    const made = { live: createApiKey('live'), test: createApiKey('test') }
    await ensureBootstrapKeys({ keys, clock }, made)
    return made
  } finally {
    await db.close()
  }
}

/** Goes on trying while the database may yet come. @throws ConfigurationError */
async function untilReached(db: MongoDatabase): Promise<void> {
  const late = AbortSignal.timeout(REACHED_WITHIN_MS)
  for (;;) {
    try {
      return await db.ping(late)
    } catch (error) {
      if (late.aborted || !isPassing(error)) {
        const { message } = error as Error
        throw new ConfigurationError([`MILLHAND_MONGO_URL must be a database that can be reached: ${message}.`])
      }
    }
    await clock.sleep(AGAIN_MS, late).catch(() => {})
  }
}
