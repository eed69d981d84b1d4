import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, createContextValues } from '@connectrpc/connect'
import { codeOf, createCursors, type KeyMode } from '@millhand/api'
import { InstanceStatus } from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { InstanceService } from '@millhand/api/gen/millhand/instance/v1/instance_service_pb.ts'
import { singleReplica } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createSandboxDriver } from '../drivers/mock/sandbox-driver.ts'
import { createInstanceService } from '../instance-service.ts'

const LIMIT_MS = 100_000
const plan = 'starter'
const { max_instances: most } = loadPlans().computePlan(plan)
const wanted = { gpu: 'cpu', image: 'acme/server', replicas: 0 }

it('is refused in the mode that has no engine, with the setting', async t => {
  const { instances } = await open(t)
  await assert.rejects(instances.createInstance(wanted, as('a', 'live')), error => {
    assert.equal(codeOf(error), 'engine_unavailable')
    assert.match(String(error), /MILLHAND_INSTANCE_DRIVER/)
    return true
  })
  const { status } = await instances.createInstance(wanted, as('a'))
  assert.equal(status, InstanceStatus.PENDING)
})

it('is refused beyond what the plan allows, also at once, and until one has ended', async t => {
  const { instances, clock } = await open(t)
  const create = () => instances.createInstance(wanted, as('a'))
  const answers = await Promise.allSettled(Array.from({ length: most + 5 }, create))
  const made = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value.id] : []))
  const refused = answers.flatMap(answer => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []))
  assert.deepEqual([made.length, refused], [most, Array(5).fill('concurrency_limited')])
  await instances.createInstance(wanted, as('b'))
  const id = String(made[0])
  await instances.deleteInstance({ id }, as('a'))
  const hasEnded = async () => (await instances.getInstance({ id }, as('a'))).status === InstanceStatus.TERMINATED
  for (const limit = performance.now() + LIMIT_MS; !(await hasEnded()); await pause(1)) {
    assert.ok(performance.now() < limit)
    await clock.advance(50)
  }
  await create()
  await assert.rejects(create(), error => codeOf(error) === 'concurrency_limited')
})

/** The service with an engine in test mode alone, until the test ends. */
async function open(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-instance-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const clock = manualClock(Date.UTC(2026, 10, 27))
  const service = createInstanceService({
    ...{ db, clock, plans: loadPlans(), cursors: createCursors(new Uint8Array(32)), replicas: singleReplica },
    drivers: { live: undefined, test: createSandboxDriver({ clock, places: { cpu: 10 } }) },
    sealingKey: new Uint8Array(32),
    log: createLog({ level: 'error', write: () => {} }),
    retentionMs: 86_400_000,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const ending = new AbortController()
  const running = service.run(ending.signal)
  t.after(async () => {
    ending.abort()
    await running
    await db.close()
    await rm(folder, { recursive: true })
  })
  return { clock, instances: createClient(InstanceService, transport) }
}

/** The options of a call of an account, with a key of the mode. */
const as = (account: string, mode: KeyMode = 'test') => ({
  contextValues: createContextValues().set(principalKey, {
    ...{ accountId: `acct_${account}`, mode, tenant: `acct_${account}/${mode}`, keyId: 'key_a' },
    scopes: new Set(['*']),
    plans: { compute: plan, developer: 'free', workforce: 'starter' },
  }),
})
