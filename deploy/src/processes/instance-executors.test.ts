/** Tokens of executors in instances, by a clock that the test sets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { codeOf } from '@millhand/api'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { Renewed_Verdict } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { as, type Deployment, IMAGE, openDeployment } from './instance-executors.fixture.ts'
import { joinPool } from './join-pool.ts'

const log = createLog({ level: 'error', write: () => {} })

const executorId = 'exec_a'
const POOL = 'live/onnx'
const claim = { executorId, pool: POOL, runs: 1, waitMs: 0 }
const echo = { type: TaskType.INFERENCE, model: 'echo', input: 'hello' }

describe('the token of an executor in an instance', () => {
  it('is renewed in time; without that it ends after 5 minutes', async () => {
    await using deployment = await openDeployment()
    const { clock, executors, leasesWith, until } = deployment
    await deployment.launch()
    const { pool, leases } = deployment.executor()
    await pool.join()
    const first = pool.token()
    const ending = new AbortController()
    const renewing = pool.renew(ending.signal)
    await clock.advance(149_000)
    assert.equal(pool.token(), first)
    await until(() => pool.token() !== first)
    const at = clock.now()
    assert.ok(clock.monotonic() < 160_000, `renewed at ${at}`)
    await leasesWith(first).claim(claim)
    await until(() => clock.monotonic() > 305_000, 5_000)
    await assert.rejects(leasesWith(first).claim(claim), /The service token of executor expired at 2026-11-21T00:05/)
    await assert.rejects(executors.getToken({ credential: first }), /The token has ended/)
    await leases.claim(claim)
    ending.abort()
    await renewing
  })

  it('is not renewed while the instance service is away: when it ends, the executor ends', async () => {
    await using deployment = await openDeployment()
    const { clock, service, until } = deployment
    await deployment.launch()
    const { pool, leases } = deployment.executor()
    await pool.join()
    const first = pool.token()
    await leases.claim(claim)
    const joinedAt = clock.monotonic()
    let problem: unknown
    const renewing = pool.renew(new AbortController().signal).catch(error => {
      problem = error
    })
    service.isAway = true
    await until(() => clock.monotonic() - joinedAt > 295_000, 1_000)
    await leases.claim(claim)
    assert.equal(pool.token(), first)
    await until(() => problem !== undefined, 1_000)
    await renewing
    assert.match(String(problem), /does not answer|has ended/)
    assert.ok(clock.monotonic() - joinedAt >= 299_000)
    await assert.rejects(leases.claim(claim), /expired at/)
    // Nor can another replica join.
    await assert.rejects(deployment.executors.getToken({ credential: deployment.executor().credential }), /not answer/)
  })

  it('ends in the middle of a run: the lease ends too, and the task runs elsewhere as its next attempt', async () => {
    await using deployment = await openDeployment()
    const { clock, compute, until } = deployment
    const instance = await deployment.launch(2)
    const [old, other] = [deployment.executor(deployment.specs[0]), deployment.executor(deployment.specs[1])]
    await old.pool.join()
    await clock.advance(290_000)
    await other.pool.join()
    const { id } = await compute.createTask(echo, as('a'))
    const [lease] = leasesOf(await old.leases.claim(claim))
    assert.deepEqual([lease.workId, lease.attempt], [id, 1])
    const renewal = { executorId, pool: POOL, leases: [{ id: lease.id, tenant: lease.tenant, workId: id }] }
    await clock.advance(5_000)
    const { leases: kept } = await old.leases.renew(renewal)
    assert.equal(kept[0]?.verdict, Renewed_Verdict.KEPT)
    await clock.advance(6_000)
    await assert.rejects(old.leases.renew(renewal), /expired at/)
    await assert.rejects(old.leases.finish(finished(lease)), /expired at/)
    assert.equal((await compute.getTask({ id }, as('a'))).status, TaskStatus.RUNNING)
    await until(async () => (await compute.getTask({ id }, as('a'))).status === TaskStatus.QUEUED, 500)
    let again: Lease | undefined
    await until(async () => {
      again = leasesOf(await other.leases.claim(claim))[0]
      return again !== undefined
    }, 500)
    assert.equal(again?.attempt, 2)
    assert.deepEqual((await other.leases.finish(finished(lease))).accepted, [false])
    assert.deepEqual((await other.leases.finish(finished(again as Lease))).accepted, [true])
    const task = await compute.getTask({ id }, as('a'))
    assert.deepEqual([task.status, task.output], [TaskStatus.SUCCEEDED, '"done"'])
    // The instance is billed, not the tasks in it.
    assert.deepEqual([task.usage?.computeMs, task.usage?.instanceId, task.cost?.amount], [5, instance, '0.000000'])
  })
})

it('an executor gives up when compute has not answered for 5 minutes', async () => {
  const free = createServer().listen(0)
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await promisify(free.close.bind(free))()
  const clock = manualClock()
  const pool = joinPool({ url: `http://127.0.0.1:${port}`, credential: 'mhj_a' }, { clock, log })
  let isOver = false
  const joining = assert.rejects(pool.join(), /could not be made/).finally(() => {
    isOver = true
  })
  for (let seconds = 0; !isOver && seconds < 600; seconds++) {
    await clock.advance(1_000)
    await pause(1)
  }
  assert.ok(isOver, 'it goes on')
  await joining
  assert.ok(clock.monotonic() >= 300_000, `after ${clock.monotonic()} ms`)
})

it('an account can set nothing that runs in the image of executors', async () => {
  await using deployment = await openDeployment()
  for (const more of [{ command: ['sh'] }, { env: { A: 'b' } }, { ports: [80] }, { volumeGb: 1 }, { gpu: 'h100' }])
    await assert.rejects(
      deployment.instances.createInstance({ gpu: 'cpu', image: IMAGE, ...more }, as('a')),
      error => codeOf(error) === 'invalid_parameter',
    )
})

describe('compute refuses the executor', () => {
  const ends: Readonly<Record<string, (deployment: Deployment, instance: string) => Promise<unknown>>> = {
    'of an older generation': async ({ kill, specs, until }) => {
      await kill(specs.at(-1) as (typeof specs)[number])
      await until(() => specs.length === 3)
    },
    'of a replica that was scaled away': ({ instances }, id) => instances.scaleInstance({ id, replicas: 1 }, as('a')),
    'of an instance that was deleted': ({ instances }, id) => instances.deleteInstance({ id }, as('a')),
  }
  for (const [name, end] of Object.entries(ends))
    it(name, async () => {
      await using deployment = await openDeployment()
      const { executors, clock, until } = deployment
      const id = await deployment.launch(2)
      const { pool, leases, credential } = deployment.executor()
      await pool.join()
      await deployment.compute.createTask(echo, as('a'))
      const [lease] = leasesOf(await leases.claim(claim))
      await end(deployment, id)
      await clock.advance(4_000)
      await assert.rejects(leases.claim(claim), /is to end, or has ended/)
      await assert.rejects(executors.getToken({ credential }), /has ended/)
      // Its lease still holds, so its result is accepted.
      if (name !== 'of an older generation') assert.deepEqual((await leases.finish(finished(lease))).accepted, [true])
      await until(async () => !(await executors.getToken({ credential: pool.token() }).then(Boolean, () => false)), 500)
      await assert.rejects(executors.getToken({ credential: pool.token() }), /The replica of this token has ended/)
    })

  it('of the instance of another account', async () => {
    await using deployment = await openDeployment()
    const { compute, tokens, executors, leasesWith, clock } = deployment
    const instance = await deployment.launch()
    const token = tokens.mint({ tenant: 'acct_b/live', instance, generation: 1 }, clock.now() + 300_000)
    const { id } = await compute.createTask(echo, as('b'))
    await assert.rejects(leasesWith(token).claim(claim), /is to end, or has ended/)
    await assert.rejects(executors.getToken({ credential: token }), /has ended/)
    // An executor of the account itself gets no task of another either, whatever it asks for.
    const { pool, leases } = deployment.executor()
    await pool.join()
    for (const tenant of ['', 'acct_b/live']) assert.deepEqual((await leases.claim({ ...claim, tenant })).runs, [])
    assert.equal((await compute.getTask({ id }, as('b'))).status, TaskStatus.QUEUED)
  })
})

type Claimed = Awaited<ReturnType<ReturnType<Deployment['leasesWith']>['claim']>>
type Lease = Claimed['runs'][number]['leases'][number]

const leasesOf = ({ runs }: Claimed): [Lease, ...Lease[]] => runs.flatMap(({ leases }) => leases) as [Lease]

const finished = ({ id: leaseId, tenant, workId, attempt }: Lease) => ({
  executorId,
  pool: POOL,
  results: [{ leaseId, tenant, workId, attempt, computeMs: 5, outcome: { case: 'output' as const, value: '"done"' } }],
})
