/**
 * What executors and other replicas send has bounds: a text of any length would end in an event, and an event that the
 * log does not take helps nobody.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  type DescMessage,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  ScalarType,
} from '@bufbuild/protobuf'
import { type ConnectError, createClient, createContextValues, type Transport } from '@connectrpc/connect'
import { problemOf } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { LeaseService, Renewed_Verdict } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { systemClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { createTunnelTransport, tunnelRoutes } from '@millhand/rpc/tunnel'
import type { DocumentRef } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { plainOptions } from '../compute.fixture.ts'
import { createComputeService } from '../compute.ts'

const x = (length: number) => 'x'.repeat(length)
const stopped = { case: 'cancelled', value: true }
const log = (value: string) => ({ content: { case: 'log' as const, value } })
const progress = (value: object) => ({ content: { case: 'progress' as const, value: { fraction: 1, ...value } } })
const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

/** By method and field, as public JSON names it: a request that is too long in that field alone, made of a good one. */
const tooLong: Record<string, (good: Good) => MessageInitShape<DescMessage>> = {
  'Claim executor_id': good => ({ ...good.claim, executorId: x(65) }),
  'Claim pool': good => ({ ...good.claim, pool: `live/${x(33)}` }),
  'Claim tenant': good => ({ ...good.claim, tenant: `acct_${x(27)}/live` }),
  'Claim busy_groups': good => ({ ...good.claim, busyGroups: many(65, 'echo') }),
  'Claim busy_groups[]': good => ({ ...good.claim, busyGroups: [x(129)] }),
  'Claim device.id': good => claiming(good, { id: x(129) }),
  'Claim device.gpu_type': good => claiming(good, { gpuType: x(64) }),
  'Claim device.name': good => claiming(good, { name: x(129) }),
  'Claim device.provider': good => claiming(good, { provider: x(129) }),
  'Renew executor_id': good => ({ ...good.renew, executorId: x(65) }),
  'Renew leases': good => ({ ...good.renew, leases: many(1_001, good.renewal) }),
  'Renew leases[].id': good => renewing(good, { id: x(65) }),
  'Renew leases[].tenant': good => renewing(good, { tenant: `acct_${x(27)}/live` }),
  'Renew leases[].work_id': good => renewing(good, { workId: `task_${x(27)}` }),
  'Renew pool': good => ({ ...good.renew, pool: x(65) }),
  'Emit executor_id': good => ({ ...good.emit, executorId: x(65) }),
  'Emit runs': good => ({ ...good.emit, runs: many(1_001, { ...good.emitting, emissions: [log('x')] }) }),
  'Emit runs[].lease_id': good => emitting(good, { leaseId: x(65) }),
  'Emit runs[].tenant': good => emitting(good, { tenant: `acct_${x(27)}/live` }),
  'Emit runs[].work_id': good => emitting(good, { workId: `task_${x(27)}` }),
  'Emit runs[].emissions': good => emitting(good, { emissions: many(1_001, log('x')) }),
  'Emit runs[].emissions[].output': good =>
    emitting(good, { emissions: [{ content: { case: 'output', value: x(65_537) } }] }),
  'Emit runs[].emissions[].log': good => emitting(good, { emissions: [log(x(8_193))] }),
  'Emit runs[].emissions[].progress.message': good => emitting(good, { emissions: [progress({ message: x(513) })] }),
  'Emit runs[].emissions[].progress.metrics': good =>
    emitting(good, { emissions: [progress({ metrics: Object.fromEntries(many(33, 0).map((_, n) => [`m${n}`, 1])) })] }),
  'Finish executor_id': good => ({ ...good.finish, executorId: x(65) }),
  'Finish results': good => ({ ...good.finish, results: many(1_001, { ...good.result, outcome: stopped }) }),
  'Finish results[].lease_id': good => finishing(good, { leaseId: x(65) }),
  'Finish results[].tenant': good => finishing(good, { tenant: `acct_${x(27)}/live` }),
  'Finish results[].work_id': good => finishing(good, { workId: `task_${x(27)}` }),
  'Finish results[].output': good => finishing(good, { outcome: { case: 'output', value: x(262_145) } }),
  'Finish results[].output_file': good => finishing(good, { outcome: { case: 'outputFile', value: `file_${x(27)}` } }),
  'Finish results[].failure.code': good => finishing(good, failing({ code: x(65) })),
  'Finish results[].failure.message': good => finishing(good, failing({ message: x(2_049) })),
  'Finish results[].engine_name': good => finishing(good, { engineName: x(129) }),
  'Finish results[].provider': good => finishing(good, { provider: x(65) }),
  'Finish results[].gpu_type': good => finishing(good, { gpuType: x(64) }),
  'Finish results[].instance_id': good => finishing(good, { instanceId: `inst_${x(27)}` }),
  'Finish results[].group_version': good => finishing(good, { groupVersion: x(129) }),
  'Finish results[].engine_kind': good => finishing(good, { engineKind: x(33) }),
  'Finish results[].artifact_files': good => finishing(good, { artifactFiles: many(33, `file_${x(26)}`) }),
  'Finish results[].artifact_files[]': good => finishing(good, { artifactFiles: [`file_${x(27)}`] }),
  'Finish results[].partial_output_file': good => finishing(good, { partialOutputFile: `file_${x(27)}` }),
  'Finish results[].traceparent': good => finishing(good, { traceparent: x(56) }),
  'Finish pool': good => ({ ...good.finish, pool: x(65) }),
  'Reserve run.lease_id': good => ({ run: { ...good.run, leaseId: x(65) } }),
  'Reserve run.tenant': good => ({ run: { ...good.run, tenant: `acct_${x(27)}/live` } }),
  'Reserve run.work_id': good => ({ run: { ...good.run, workId: `task_${x(27)}` } }),
  'ReadInput run.lease_id': good => ({ run: { ...good.run, leaseId: x(65) } }),
  'ReadModel run.lease_id': good => ({ run: { ...good.run, leaseId: x(65) } }),
  'ReadInput run.tenant': good => ({ run: { ...good.run, tenant: `acct_${x(27)}/live` } }),
  'ReadModel run.tenant': good => ({ run: { ...good.run, tenant: `acct_${x(27)}/live` } }),
  'ReadInput run.work_id': good => ({ run: { ...good.run, workId: `task_${x(27)}` } }),
  'ReadModel run.work_id': good => ({ run: { ...good.run, workId: `task_${x(27)}` } }),
  'StoreOutput run.lease_id': good => storing({ case: 'run', value: { ...good.run, leaseId: x(65) } }),
  'StoreOutput run.tenant': good => storing({ case: 'run', value: { ...good.run, tenant: `acct_${x(27)}/live` } }),
  'StoreOutput run.work_id': good => storing({ case: 'run', value: { ...good.run, workId: `task_${x(27)}` } }),
  'StoreOutput artifact.name': good => ({ ...ofRun(good), artifact: { name: x(129), mediaType: 'text/csv' } }),
  'StoreOutput artifact.media_type': good => ({ ...ofRun(good), artifact: { name: 'a', mediaType: `text/${x(124)}` } }),
  'StoreOutput data': () => storing({ case: 'data', value: Buffer.alloc(2 ** 20 + 1) }),
  'StorePart lines.run.lease_id': good => storing(lines(good, { leaseId: x(65) })),
  'StorePart lines.run.tenant': good => storing(lines(good, { tenant: `acct_${x(27)}/live` })),
  'StorePart lines.run.work_id': good => storing(lines(good, { workId: `task_${x(27)}` })),
  'StorePart data': () => storing({ case: 'data', value: Buffer.alloc(2 ** 20 + 1) }),
  'JoinParts run.lease_id': good => ({ run: { ...good.run, leaseId: x(65) } }),
  'JoinParts run.tenant': good => ({ run: { ...good.run, tenant: `acct_${x(27)}/live` } }),
  'JoinParts run.work_id': good => ({ run: { ...good.run, workId: `task_${x(27)}` } }),
  'Ring documents': good => ({ documents: many(10_001, good.ref) }),
  'Ring documents[].collection': good => ({ documents: [{ ...good.ref, collection: x(65) }] }),
  'Ring documents[].tenant': good => ({ documents: [{ ...good.ref, tenant: `acct_${x(27)}/live` }] }),
  'Ring documents[].id': good => ({ documents: [{ ...good.ref, id: x(129) }] }),
}

const methods: readonly DescMethod[] = [LeaseService, OwnerService].flatMap(({ method }) => Object.values(method))

it('every text and list of the lease services has a bound here', () => {
  const fields = methods.flatMap(({ name, input }) => textsAndLists(input).map(field => `${name} ${field}`))
  assert.deepEqual(Object.keys(tooLong).sort(), fields.sort())
})

it('output that is no JSON is refused, with all that came with it', async () => {
  const { good, leases, stop } = await started('in the process')
  for (const text of ['nope', '', '{"a":1}\n\nevent: task.succeeded\ndata: {}']) {
    const output = { content: { case: 'output' as const, value: text } }
    const emission = { ...good.emit, runs: [{ ...good.emitting, emissions: [log('sound'), output] }] }
    const results = [good.result, { ...good.result, outcome: { case: 'output' as const, value: text } }]
    for (const call of [leases.emit(emission), leases.finish({ ...good.finish, results })]) {
      const refused = await call.then(
        () => undefined,
        (error: ConnectError) => problemOf(error, 'req_1').code,
      )
      assert.equal(refused, 'invalid_parameter')
    }
  }
  assert.equal((await leases.renew(good.renew)).leases[0]?.verdict, Renewed_Verdict.KEPT, 'nothing has ended it')
  await stop()
})

for (const way of ['in the process', 'in a tunnel'] as const) {
  describe(`what is too long, ${way}`, () => {
    let service: Awaited<ReturnType<typeof started>>
    before(async () => {
      service = await started(way)
    })
    after(() => service.stop())

    for (const [where, request] of Object.entries(tooLong)) {
      it(`${where} is refused, and changes nothing`, async () => {
        const [name, field] = where.split(' ') as [string, string]
        const method = methods.find(method => method.name === name) as DescMethod
        const before = await service.stored()
        const error = await ask(service.transport, method, request(service.good)).then(
          () => assert.fail('it was taken'),
          (error: ConnectError) => error,
        )
        const { code, errors = [] } = problemOf(error, '')
        assert.equal(code, /(output|log)$/.test(field) ? 'payload_too_large' : 'invalid_parameter')
        assert.deepEqual(
          errors.map(({ param }) => param),
          [field.replaceAll('[]', '[0]')],
        )
        assert.deepEqual(await service.stored(), before)
        assert.deepEqual(service.rung, [])
      })
    }

    it('what is not is taken', async () => {
      const { leases, owner, good, rung, stored } = service
      await leases.claim(good.claim)
      await leases.renew(good.renew)
      await leases.emit(good.emit)
      assert.equal((await stored())?.progress?.message?.length, 512)
      await owner.ring({ documents: [good.ref] })
      assert.equal(rung.length, 1)
      assert.deepEqual((await leases.finish(good.finish)).accepted, [true])
    })
  })
}

/** What no run can have used or cost: the first of them take another way through the checks where nothing is encoded. */
const noCounts = [-1, 0.5, Number.NaN, -1e300, 1_000_000_001, 1e308, Number.POSITIVE_INFINITY]

it('what a run used or cost is a whole number within bounds, or its result is refused and changes nothing', async t => {
  const { good, leases, stored, stop } = await started('in the process')
  t.after(stop)
  const before = await stored()
  for (const [field, name] of [
    ['computeMs', 'compute_ms'],
    ['inputTokens', 'input_tokens'],
    ['outputTokens', 'output_tokens'],
    ['modelCostMicros', 'model_cost_micros'],
  ] as const)
    for (const count of noCounts) {
      const lie = { ...good.result, [field]: count }
      const refused = await leases.finish({ ...good.finish, results: [good.result, lie] }).then(
        () => assert.fail(`${field} of ${count} was taken`),
        (error: ConnectError) => problemOf(error, ''),
      )
      assert.deepEqual(
        [refused.code, refused.errors?.[0]?.param ?? refused.param],
        ['invalid_parameter', `results[1].${name}`],
      )
    }
  for (const count of noCounts)
    await assert.rejects(leases.reserve({ run: good.run, modelCostMicros: count }), `${count} was reserved`)
  assert.deepEqual(await stored(), before)
  assert.deepEqual((await leases.finish(good.finish)).accepted, [true])
})

/** A call of one message, whose answer is read to its end. */
async function ask(transport: Transport, method: DescMethod, request: MessageInitShape<DescMessage>): Promise<void> {
  if (method.methodKind === 'unary') {
    await transport.unary(method as DescMethodUnary, undefined, undefined, undefined, request)
    return
  }
  const { message } = await transport.stream(
    method as DescMethodStreaming,
    undefined,
    undefined,
    undefined,
    one(request),
  )
  for await (const _ of message);
}

async function* one<T>(message: T) {
  yield message
}

type Good = Awaited<ReturnType<typeof started>>['good']

const device = { id: x(128), gpuType: x(63), name: x(128), memoryMb: 1, provider: 'cuda' }
const claiming = (good: Good, more: object) => ({ ...good.claim, device: { ...device, ...more } })
const renewing = ({ renew, renewal }: Good, change: object) => ({ ...renew, leases: [{ ...renewal, ...change }] })
const emitting = ({ emit, emitting }: Good, change: object) => ({ ...emit, runs: [{ ...emitting, ...change }] })
const finishing = ({ finish, result }: Good, change: object) => ({ ...finish, results: [{ ...result, ...change }] })
const storing = (part: object): MessageInitShape<DescMessage> => ({ part })
const lines = ({ run }: Good, change: object) => ({
  case: 'lines',
  value: { run: { ...run, ...change }, first: 0, count: 1 },
})
const ofRun = ({ run }: Good) => ({ part: { case: 'run', value: run } })
const failing = (change: object) => ({
  outcome: { case: 'failure', value: { code: 'model_failed', message: 'no', retryable: false, ...change } },
})

/** Compute with a task that an executor runs, and requests about it that are as long as they may be. */
async function started(way: 'in the process' | 'in a tunnel') {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-lease-bounds-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const rung: DocumentRef[] = []
  const options = plainOptions(db)
  const { tasks } = options
  const compute = createComputeService({
    ...options,
    blobs: await filesystemBlobs(join(folder, 'blobs')),
    clock: systemClock,
    onRing: documents => rung.push(...documents),
  })
  const direct = createDirectTransport({ standsForNetwork: true })
  serve(compute.routes, direct)
  const ending = new AbortController()
  const running = compute.run(ending.signal)
  const tunnel = way === 'in a tunnel' ? tunnelTo(direct) : undefined
  const transport = tunnel ?? direct
  const leases = createClient(LeaseService, transport)

  const tenant = 'acct_a/live'
  const caller = {
    accountId: 'acct_a',
    mode: 'live',
    tenant,
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  } as const
  const as = { contextValues: createContextValues().set(principalKey, caller) }
  const task = { type: TaskType.INFERENCE, model: 'echo', input: 'hello' }
  const { id } = await createClient(ComputeService, direct).createTask(task, as)
  const executorId = x(64)
  const { runs } = await leases.claim({ executorId, pool: 'live/onnx', runs: 1, waitMs: 5_000 })
  const [lease] = runs.flatMap(run => run.leases)
  assert.ok(lease)

  const renewal = { id: lease.id, tenant, workId: id }
  const emissions = [log(x(8_192)), progress({ message: x(512), metrics: { [x(64)]: 1 } })]
  const emitting = { leaseId: lease.id, tenant, workId: id, attempt: 1, emissions }
  const result = {
    ...{ leaseId: lease.id, tenant, workId: id, attempt: 1, computeMs: 5 },
    outcome: { case: 'output' as const, value: JSON.stringify(x(262_142)) },
    ...{ engineName: x(128), provider: x(64), gpuType: x(63), groupVersion: x(128), engineKind: x(32) },
  }
  return {
    transport,
    leases,
    owner: createClient(OwnerService, transport),
    rung,
    stored: () => tasks.get(tenant, id),
    good: {
      claim: { executorId, pool: 'live/onnx', runs: 0, busyGroups: many(64, x(128)), device },
      renewal,
      renew: { executorId, leases: [renewal] },
      run: { leaseId: lease.id, tenant, workId: id, attempt: 1 },
      emitting,
      emit: { executorId, runs: [emitting] },
      result,
      finish: { executorId, results: [result] },
      ref: { collection: 'tasks', tenant, id: x(128) },
    },
    async stop() {
      await tunnel?.close()
      ending.abort()
      await running
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** A tunnel without a network: the calls in it arrive as frames. */
function tunnelTo(transport: Transport) {
  const services = [LeaseService, OwnerService]
  const { routes } = tunnelRoutes({ transport, services, admit: () => createContextValues() })
  const replica = createDirectTransport()
  routes(replica)
  return createTunnelTransport({ replicas: [replica] })
}

/** The fields of a request that may be of any length, as far as their types go. */
function textsAndLists(desc: DescMessage, path = ''): string[] {
  return desc.fields.flatMap(field => {
    const name = path + field.name
    const within = field.message
      ? textsAndLists(field.message, `${name}${field.fieldKind === 'list' ? '[]' : ''}.`)
      : []
    if (field.fieldKind === 'map') return [name]
    if (field.fieldKind === 'list') return field.scalar === undefined ? [name, ...within] : [name, `${name}[]`]
    return field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES ? [name] : within
  })
}
