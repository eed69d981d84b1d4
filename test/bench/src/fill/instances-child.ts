/** Many instances on a mock engine: what a create takes, a pass of the reconciler, and doing nothing. */

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors, createIds, createSecretCipher } from '@millhand/api'
import { InstanceService } from '@millhand/api/gen/millhand/instance/v1/instance_service_pb.ts'
import { createInstanceService } from '@millhand/instance'
import { type Instances, instancesSpec } from '@millhand/instance/instance'
import { Reconciler } from '@millhand/instance/reconciler'
import { createSandboxDriver } from '@millhand/instance/sandbox'
import { loadPlans } from '@millhand/plans'
import { systemClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { answerQuestions } from '../child.ts'

export interface Question {
  readonly folder: string
  readonly instances: number
  /** How many creates are measured, one after the other, beside all those. */
  readonly creates: number
  /** Windows of 30 s in which nothing happens. */
  readonly idleWindows: number
}

export interface Answer {
  /** Milliseconds of each. */
  readonly creates: readonly number[]
  /** Milliseconds of each pass until all run: the first finds all of them new. */
  readonly passes: readonly number[]
  /** Milliseconds of each pass over all of them at rest. */
  readonly restPasses: readonly number[]
  /** The share of a core that is used in each window in which nothing happens. */
  readonly idle: readonly number[]
}

/** Each starts a few replicas at once. */
const INSTANCES_OF_TENANT = 8
const AT_ONCE = 100
const REST_PASSES = 10
const WINDOW_MS = 30_000

answerQuestions(async ({ folder, instances: count, creates, idleWindows }: Question): Promise<Answer> => {
  const db = openSqlite({ file: join(folder, 'instances.db') })
  const driver = createSandboxDriver({ clock: systemClock, places: { cpu: count + creates } })
  const plans = loadPlans()
  const log = createLog({ level: 'error' })
  const shared = { db, plans, clock: systemClock, log, retentionMs: 30 * 86_400_000 }
  const service = createInstanceService({
    ...shared,
    drivers: { live: driver, test: undefined },
    cursors: createCursors(new Uint8Array(32)),
    sealingKey: new Uint8Array(32),
    replicas: { isOwner: () => true } as never,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const client = createClient(InstanceService, transport)
  const create = async (n: number) => {
    const request = { gpu: 'cpu', image: 'acme/server', env: { TOKEN: 'secret' } }
    await client.createInstance(request, as(`acct_${Math.floor(n / INSTANCES_OF_TENANT)}`))
  }
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => create(from + n)))

  const signal = new AbortController()
  const collection: Instances = db.collection(instancesSpec)
  const reconciler = new Reconciler({
    ...shared,
    ...{ instances: collection, driver, mode: 'live', prices: plans.prices, ids: createIds({ now: Date.now }) },
    observedAt: db.collection({ name: 'engine_observations', indexes: {} }),
    cipher: createSecretCipher(new Uint8Array(32)),
    share: () => ({ weight: 1, maxReplicas: count }),
  })
  const pass = async () => {
    reconciler.engineChanged()
    const begin = performance.now()
    await reconciler.pass(signal.signal)
    return performance.now() - begin
  }
  const passes: number[] = []
  const run = async () => (await driver.list(signal.signal)).replicas.filter(({ state }) => state === 'running').length
  do {
    passes.push(await pass())
    await pause(100)
  } while ((await run()) < count)
  passes.push(await pass())
  const restPasses: number[] = []
  for (let n = 0; n < REST_PASSES; n++) restPasses.push(await pass())

  const answered: number[] = []
  for (let n = 0; n < creates; n++) {
    const begin = performance.now()
    await create(count + n)
    answered.push(performance.now() - begin)
  }
  const running = reconciler.run(signal.signal)
  while ((await run()) < count + creates) await pause(100)
  await pause(1_000)
  const idle: number[] = []
  for (let n = 0; n < idleWindows; n++) {
    const before = process.cpuUsage()
    await pause(WINDOW_MS)
    const { user, system } = process.cpuUsage(before)
    idle.push((user + system) / 1e3 / WINDOW_MS)
  }
  signal.abort()
  await running
  await db.close()
  return { creates: answered, passes, restPasses, idle }
})

const as = (accountId: string) => ({
  contextValues: createContextValues().set(principalKey, {
    accountId,
    mode: 'live',
    tenant: `${accountId}/live`,
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }),
})
