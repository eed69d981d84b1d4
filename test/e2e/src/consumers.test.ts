/** Internal consumers: programs of the operator's that call services directly, by gRPC, with credentials of their own. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { createConsumerSecret } from '@millhand/api'
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { grpcClient, type Refusal, refusal, statusAtDeadline } from './grpc-client.ts'
import { keyOf, newAccount, operate } from './operator.ts'
import { type Visited, visitServer } from './visited-server.ts'

const COMPUTE = `${ComputeService.typeName}/*`
/** Identity is asked every 5 s; on a slow machine an answer takes long. */
const PATIENCE_MS = 300_000

let server: Visited
let account: string
let target: string
before(async () => {
  server = await visitServer()
  account = await newAccount(server, 'served by consumers')
  target = new URL(server.grpc ?? '').host
})
after(() => server.leave())

interface Made {
  readonly id: string
  readonly secret: string
}

/** A consumer, made by the command line. */
const newConsumer = async (methods: string, accounts: string, ...words: string[]): Promise<Made> => {
  const all = ['consumers', 'create', 'of a test', '--methods', methods, '--accounts', accounts, ...words]
  return (await operate(server, ...all)) as Made
}

/** A client of compute with a credential, which closes with its test. */
function clientOf(t: { after(end: () => void): void }, secret?: string) {
  const client = grpcClient(ComputeService, target, secret)
  t.after(() => client.close())
  return client
}

const naming = (accountId: string, mode = 'test') => ({
  metadata: { 'millhand-account': accountId, 'millhand-mode': mode },
})
const task = (input: string) => ({ type: TaskType.INFERENCE, model: 'digits', input })
const said = ({ status, code }: Refusal) => [status, code]

/** How a call is refused, once it is. */
async function untilRefused(call: () => Promise<unknown>): Promise<Refusal> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    const answered = await Promise.allSettled([call()])
    if (answered[0]?.status === 'rejected') return await refusal(Promise.reject(answered[0].reason))
    assert.ok(performance.now() < end, 'it is still answered')
    await pause(100)
  }
}

describe('a consumer', () => {
  test('creates a task for an account, watches it and reads it, as the account sees it over REST', async t => {
    const { secret } = await newConsumer(COMPUTE, account)
    const compute = clientOf(t, secret)
    const { message: made } = await compute.unary('createTask', task('sandbox:slow:10'), naming(account))
    const types: string[] = []
    for await (const { type } of compute.stream('watchTask', { id: made.id }, naming(account))) types.push(type)
    assert.deepEqual([types.at(0), types.at(-1)], ['task.queued', 'task.succeeded'])
    const { message: ended } = await compute.unary('getTask', { id: made.id }, naming(account))
    assert.equal(ended.status, TaskStatus.SUCCEEDED)
    const headers = { authorization: `Bearer ${await keyOf(server, account, { mode: 'test' })}` }
    assert.equal((await server.request('GET', `/v1/tasks/${made.id}`, { headers })).status, 200)
    const live = await refusal(compute.unary('getTask', { id: made.id }, naming(account, 'live')))
    assert.deepEqual(said(live), [status.NOT_FOUND, 'not_found'])
  })

  test('names any account where its credential says all, and the mode that it says', async t => {
    const { secret } = await newConsumer(COMPUTE, 'all/test')
    const compute = clientOf(t, secret)
    await compute.unary('listTasks', {}, naming(account))
    await compute.unary('listTasks', {}, naming(await newAccount(server, 'another')))
    const live = await refusal(compute.unary('listTasks', {}, naming(account, 'live')))
    assert.deepEqual(
      [...said(live), live.metadata],
      [status.PERMISSION_DENIED, 'insufficient_scope', { account, mode: 'live' }],
    )
    const nobody = await refusal(compute.unary('listTasks', {}, naming('acct_01jd7x8f2wfyqs3m6k9v0t4b5c')))
    assert.deepEqual(said(nobody), [status.NOT_FOUND, 'not_found'])
  })

  test('has its deadline kept', async t => {
    const { secret } = await newConsumer(COMPUTE, account)
    const compute = clientOf(t, secret)
    const { message: made } = await compute.unary('createTask', task('sandbox:slow:600000'), naming(account))
    const metadata = { authorization: `Bearer ${secret}`, ...naming(account).metadata }
    assert.equal(await statusAtDeadline(server.grpc ?? '', made.id, metadata), status.DEADLINE_EXCEEDED)
    await compute.unary('cancelTask', { id: made.id }, naming(account))
  })

  test('calls billing with the same credential', async t => {
    const { secret } = await newConsumer(`${BillingService.typeName}/GetBilling`, account)
    const billing = grpcClient(BillingService, new URL(server.billing ?? server.grpc ?? '').host, secret)
    t.after(() => billing.close())
    await billing.unary('getBilling', {}, naming(account, 'live'))
  })
})

describe('a call is refused', () => {
  test('without a credential, and with one that nobody made', async t => {
    const without = await refusal(clientOf(t).unary('listTasks', {}, naming(account)))
    assert.deepEqual(said(without), [status.UNAUTHENTICATED, 'missing_credentials'])
    const { secret } = await newConsumer(COMPUTE, account)
    const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
    for (const each of [wrong, 'mhc_', createConsumerSecret(), 'mhs_x.y', server.testKey]) {
      const refused = await refusal(clientOf(t, each).unary('listTasks', {}, naming(account)))
      assert.deepEqual(said(refused), [status.UNAUTHENTICATED, 'invalid_credentials'], each.slice(0, 4))
    }
  })

  test('for another account, and without one', async t => {
    const { secret } = await newConsumer(COMPUTE, account)
    const compute = clientOf(t, secret)
    const foreign = await refusal(compute.unary('listTasks', {}, naming(await newAccount(server, 'foreign'))))
    assert.deepEqual(said(foreign), [status.PERMISSION_DENIED, 'insufficient_scope'])
    const none = await refusal(compute.unary('listTasks', {}))
    assert.deepEqual(
      [...said(none), none.faults],
      [status.INVALID_ARGUMENT, 'missing_parameter', { 'millhand-account': 'missing_parameter' }],
    )
    const odd = await refusal(compute.unary('listTasks', {}, naming(account, 'both')))
    assert.deepEqual(said(odd), [status.INVALID_ARGUMENT, 'invalid_parameter'])
  })

  test('for a method that the credential does not name, and for one between services', async t => {
    const { secret } = await newConsumer(`${ComputeService.typeName}/ListTasks`, account)
    const compute = clientOf(t, secret)
    await compute.unary('listTasks', {}, naming(account))
    const narrow = await refusal(compute.unary('createTask', task('sandbox:slow:10'), naming(account)))
    const method = `${ComputeService.typeName}/CreateTask`
    assert.deepEqual([...said(narrow), narrow.metadata], [status.PERMISSION_DENIED, 'insufficient_scope', { method }])
    const files = grpcClient(FileService, target, secret)
    t.after(() => files.close())
    assert.equal((await refusal(files.unary('listFiles', {}, naming(account)))).status, status.PERMISSION_DENIED)
    const leases = grpcClient(LeaseService, target, secret)
    t.after(() => leases.close())
    const claim = leases.unary('claim', { executorId: 'a', pool: 'test/onnx' }, naming(account))
    assert.deepEqual(said(await refusal(claim)), [status.PERMISSION_DENIED, 'insufficient_scope'])
  })

  test('once the credential has expired', async t => {
    const expires = new Date(Date.now() + 30_000).toISOString()
    const { secret } = await newConsumer(COMPUTE, account, '--expires', expires)
    const compute = clientOf(t, secret)
    const refused = await untilRefused(() => compute.unary('listTasks', {}, naming(account)))
    assert.deepEqual(said(refused), [status.UNAUTHENTICATED, 'expired_credentials'])
  })

  test('once it is revoked, also where it has begun: its streams end', async t => {
    const { id, secret } = await newConsumer(COMPUTE, account)
    const compute = clientOf(t, secret)
    const { message: made } = await compute.unary('createTask', task('sandbox:slow:600000'), naming(account))
    const events = compute.stream('watchTask', { id: made.id }, naming(account))[Symbol.asyncIterator]()
    assert.equal((await events.next()).value?.type, 'task.queued')
    const revoked = await operate(server, 'consumers', 'revoke', id)
    assert.ok(revoked.revoked_at)
    const reading = async () => {
      while (!(await events.next()).done);
    }
    assert.deepEqual(said(await refusal(reading())), [status.UNAUTHENTICATED, 'revoked_credentials'])
    const refused = await untilRefused(() => compute.unary('listTasks', {}, naming(account)))
    assert.deepEqual(said(refused), [status.UNAUTHENTICATED, 'revoked_credentials'])
    assert.equal((await operate(server, 'consumers', 'revoke', id)).revoked_at, revoked.revoked_at)
  })

  test('for an account that is suspended, until it goes on', async t => {
    const stopped = await newAccount(server, 'suspended')
    const { secret } = await newConsumer(COMPUTE, stopped)
    const compute = clientOf(t, secret)
    await compute.unary('listTasks', {}, naming(stopped))
    await operate(server, 'accounts', 'suspend', stopped)
    const refused = await untilRefused(() => compute.unary('listTasks', {}, naming(stopped)))
    assert.deepEqual(said(refused), [status.PERMISSION_DENIED, 'account_suspended'])
  })
})

test('health needs no credential', async t => {
  const health = grpcClient(Health, target)
  t.after(() => health.close())
  assert.equal((await health.unary('check', {})).message.status, Serving.SERVING)
})

test('the gateway takes no credential of a consumer', async t => {
  const { secret } = await newConsumer(COMPUTE, account)
  const client = grpcClient(ComputeService, new URL(server.url).host, secret)
  t.after(() => client.close())
  const refused = await refusal(client.unary('listTasks', {}, naming(account)))
  assert.deepEqual(said(refused), [status.UNAUTHENTICATED, 'invalid_credentials'])
})

test('consumers are listed without their secrets, which no log has, and with their latest use', async t => {
  const { id, secret } = await newConsumer(COMPUTE, account)
  await clientOf(t, secret).unary('listTasks', {}, naming(account))
  const listed = async () => (await operate(server, 'consumers', 'list')).consumers
  const found = async () => (await listed()).find((each: Made) => each.id === id)
  for (const end = performance.now() + PATIENCE_MS; (await found()).last_used_at === undefined; await pause(200))
    assert.ok(performance.now() < end, 'its use is not noted')
  const { name, methods, accounts, scopes, prefix } = await found()
  assert.deepEqual([name, methods, accounts], ['of a test', [COMPUTE], [account]])
  assert.deepEqual(scopes, ['models:read', 'models:write', 'tasks:read', 'tasks:write'])
  assert.ok(secret.startsWith(prefix) && prefix.length === 8)
  assert.ok(!JSON.stringify(await listed()).includes(secret))
  assert.ok(!(await server.logs()).includes(secret))
})
