/** Authentication as in one process: the gateway's memory over identity on SQLite, with many keys in it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@connectrpc/connect'
import { createApiKey, createCursors, createIds, hashOfKey } from '@millhand/api'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { createAuthenticate } from '@millhand/gateway/authenticate'
import { createCallers } from '@millhand/gateway/callers'
import {
  bootstrapAccountId,
  createIdentityService,
  ensureFirstAccount,
  enterprise,
  identityCollections,
} from '@millhand/identity'
import { singleReplica } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { answerQuestions } from '../child.ts'
import { histogram } from '../histogram.ts'

export interface Question {
  readonly folder: string
  /** How many are stored. */
  readonly keys: number
}

/** Microseconds. */
export interface Answer {
  readonly known: { readonly p50: number; readonly p99: number }
  readonly lookUp: { readonly p50: number; readonly p99: number }
}

/** Connections, each with a key of its own. */
const CONNECTIONS = 2_000
const REQUESTS = 2_000_000
const BATCH = 2_000

answerQuestions(async ({ folder, keys }: Question): Promise<Answer> => {
  const log = createLog({ level: 'error' })
  const db = openSqlite({ file: join(folder, `keys-${keys}.db`) })
  const collections = identityCollections(db)
  const secret = randomBytes(32)
  const service = createIdentityService({
    ...collections,
    plans: loadPlans(undefined, log),
    cursors: createCursors(secret),
    keySecret: secret,
    clock,
    log,
    replicas: singleReplica,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const first = { live: createApiKey('live'), test: createApiKey('test') }
  await ensureFirstAccount({ ...collections, clock }, { keys: first, plans: enterprise })
  const called = Array.from({ length: CONNECTIONS }, () => createApiKey('live'))
  const ids = createIds({ now: () => clock.now() })
  for (let from = 0; from < keys; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, keys - from) }, (_, n) => {
      const key = called[from + n]
      const sha256 = key === undefined ? randomBytes(32) : Buffer.from(hashOfKey(key))
      return collections.keys.write({ kind: 'insert', document: document(ids('key'), sha256), events: [] })
    })
    await Promise.all(batch)
  }

  const callers = createCallers({ identity: createClient(IdentityService, transport), clock, log })
  const authenticate = createAuthenticate(callers)
  const ending = new AbortController()
  const running = callers.run(ending.signal)
  const requests = called.map(requestWith)
  await clock.sleep(100, ending.signal) // The first poll.
  const lookUp = histogram()
  for (const request of requests) {
    const begin = performance.now()
    await authenticate(request)
    lookUp.record((performance.now() - begin) * 1000)
  }
  const known = histogram()
  for (let round = 0; round < REQUESTS / CONNECTIONS; round++) {
    for (const request of requests) {
      const begin = performance.now()
      if (authenticate(request) instanceof Promise) throw new Error('a key is not known any more')
      known.record((performance.now() - begin) * 1e6)
    }
    if (round % 10 === 0) await new Promise(resolve => setImmediate(resolve)) // The polls go on.
  }
  ending.abort()
  await running
  await db.close()
  return {
    known: { p50: known.quantile(0.5) / 1000, p99: known.quantile(0.99) / 1000 },
    lookUp: { p50: lookUp.quantile(0.5), p99: lookUp.quantile(0.99) },
  }
})

function requestWith(key: string) {
  const connection = {}
  const authorization = `Bearer ${key}`
  return { connection, header: (name: string) => (name === 'authorization' ? authorization : undefined) }
}

const document = (id: string, sha256: Buffer) => ({
  tenant: `${bootstrapAccountId}/live`,
  id,
  version: 1,
  account_id: bootstrapAccountId,
  mode: 'live' as const,
  name: 'a key of the benchmark',
  scopes: ['tasks:read', 'tasks:write'],
  prefix: 'mh_live_none',
  sha256: sha256.toString('hex'),
  created_at: Date.now(),
  resource_version: 1,
})
