/** The real compute and instance services on one database, a mock engine and a manual clock. The test acts as the executors. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors, fail } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { ExecutorService } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import { CapacityService } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import { InstanceStatus } from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { InstanceService } from '@millhand/api/gen/millhand/instance/v1/instance_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { computeOn } from '@millhand/compute/compute-on-database'
import { createInstanceService } from '@millhand/instance'
import type { ReplicaSpec } from '@millhand/instance/driver'
import { createSandboxDriver } from '@millhand/instance/sandbox'
import { singleReplica } from '@millhand/lease'
import { textModel } from '@millhand/model/fixture'
import { loadPlans } from '@millhand/plans'
import { createHealth, manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { createAdmission, createNetworkTransport, serveNetwork } from '@millhand/rpc/network'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createExecutorTokens } from '../executor-tokens.ts'
import { joinPool } from './join-pool.ts'

export const IMAGE = 'acme/executor'
const LIMIT_MS = 100_000

export type Deployment = Awaited<ReturnType<typeof openDeployment>>

export async function openDeployment() {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-executors-'))
  const clock = manualClock(Date.UTC(2026, 10, 21))
  const log = createLog({ level: 'error', write: () => {} })
  const plans = loadPlans()
  const cursors = createCursors(new Uint8Array(32))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const ending = new AbortController()
  const transport = createDirectTransport()
  const of = { db, plans, cursors, clock, log, replicas: singleReplica, retentionMs: 86_400_000 }

  /** What the engine was asked to start, in order. */
  const specs: ReplicaSpec[] = []
  const engine = createSandboxDriver({ clock, places: { cpu: 10, h100: 10 } })
  const instance = createInstanceService({
    ...of,
    drivers: {
      live: {
        ...engine,
        create(spec, options) {
          specs.push(spec)
          return engine.create(spec, options)
        },
      },
      test: undefined,
    },
    sealingKey: Buffer.alloc(32, 1),
    executors: { image: IMAGE, url: 'http://10.0.0.5:8081' },
  })
  serve(instance.routes, transport)

  const known = createClient(CapacityService, transport)
  const service = { isAway: false }
  const orAway =
    <Q, A>(call: (request: Q) => Promise<A>) =>
    async (request: Q) => {
      if (service.isAway) throw fail('unavailable', 'The instance service is away.')
      return await call(request)
    }
  const capacity = { ...known, checkExecutor: orAway(known.checkExecutor), admitExecutor: orAway(known.admitExecutor) }
  const tokens = createExecutorTokens(Buffer.alloc(32, 2))
  const echo = textModel('echo')
  const { compute } = computeOn(db, {
    ...of,
    blobs: await filesystemBlobs(join(folder, 'blobs')),
    textGeneration: { fault: undefined },
    models: { get: id => (id === 'echo' ? echo : undefined), list: () => [echo] },
    targetFault: () => undefined,
    streamTokenSecret: Buffer.alloc(32, 3),
    onRing: () => {},
    quotaBytes: 2 ** 20,
    random: () => 0,
    joining: { tokens, capacity },
  })
  serve(compute.routes, transport)
  const server = await serveNetwork({
    ...{ address: { host: '127.0.0.1', port: 0 }, services: compute.routes, health: createHealth(), log },
    admission: createAdmission({ trusted: [tokens.publicKey], openServices: [ExecutorService], clock, log }),
  })
  const running = [instance.run(ending.signal), compute.run(ending.signal)]
  const transports: ReturnType<typeof createNetworkTransport>[] = []
  const connect = (token?: () => string) => {
    const opened = createNetworkTransport({ url: server.url, ...(token && { token }) })
    transports.push(opened)
    return opened
  }

  /** Advances the clock in small steps until the condition holds; calls over the network are answered in between. */
  async function until(isSo: () => boolean | Promise<boolean>, stepMs = 50): Promise<void> {
    for (const deadline = performance.now() + LIMIT_MS; !(await isSo()); await pause(1)) {
      assert.ok(performance.now() < deadline, `not within ${LIMIT_MS} ms: ${isSo}`)
      await clock.advance(stepMs)
    }
  }

  const instances = createClient(InstanceService, transport)

  return {
    ...{ clock, tokens, specs, service, until, instances },
    compute: createClient(ComputeService, transport),
    executors: createClient(ExecutorService, connect()),
    /** Creates an instance of the account `a`, and waits until it runs. Resolves with its id. */
    async launch(replicas = 1): Promise<string> {
      const { id } = await instances.createInstance({ gpu: 'cpu', image: IMAGE, replicas }, as('a'))
      await until(async () => (await instances.getInstance({ id }, as('a'))).status === InstanceStatus.RUNNING)
      return id
    },
    /** An executor with the join credential of a replica: the latest one if none is given. */
    executor({ env }: Pick<ReplicaSpec, 'env'> = specs.at(-1) as ReplicaSpec) {
      const credential = env.MILLHAND_JOIN_CREDENTIAL as string
      const pool = joinPool({ url: server.url, credential }, { clock, log })
      return { pool, credential, leases: createClient(LeaseService, connect(pool.token)) }
    },
    /** The lease service, called with a token. */
    leasesWith: (token: string) =>
      createClient(
        LeaseService,
        connect(() => token),
      ),
    /** Removes a replica without the instance service. */
    kill: ({ name }: ReplicaSpec) => engine.remove({ name }, ending.signal),
    async [Symbol.asyncDispose]() {
      ending.abort()
      for (const opened of transports) opened.close()
      await Promise.all([...running, server.close(0)])
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The options of a call of an account. */
export const as = (account: string) => ({
  contextValues: createContextValues().set(principalKey, {
    ...{ accountId: `acct_${account}`, mode: 'live', tenant: `acct_${account}/live`, keyId: 'key_a' },
    scopes: new Set(['*']),
    plans: { compute: 'enterprise', developer: 'free', workforce: 'starter' },
  }),
})
