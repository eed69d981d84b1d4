/** gRPC at REST's address, as programs in Node call it. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { credentials, status } from '@grpc/grpc-js'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskStatus, TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { createAuthority, opensslMissing } from '@millhand/test-servers'
import { grpcClient, refusal, statusAtDeadline } from './grpc-client.ts'
import { mistyped, newKey } from './keys.ts'
import { keyOf, newAccount } from './operator.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
let target: string
let compute: ReturnType<typeof grpcClient<typeof ComputeService>>
before(async () => {
  server = await visitServer()
  target = new URL(server.url).host
  compute = grpcClient(ComputeService, target, server.testKey)
})
after(async () => {
  compute?.close()
  await server.leave()
})

/** A task of the sandbox. */
const task = (input: string) => ({
  type: TaskType.INFERENCE,
  model: 'digits',
  input,
})

/** A client with another key, which closes with its test. */
function clientOf(t: { after(end: () => void): void }, key?: string) {
  const client = grpcClient(ComputeService, target, key)
  t.after(() => client.close())
  return client
}

describe('a task', () => {
  test('is created, waited for, read and listed, and REST shows the same', async () => {
    const { message: created, headers } = await compute.unary('createTask', task('sandbox:slow:10'))
    assert.match(headers['x-request-id'] ?? '', /^req_/)
    const { id } = created
    const { message: ended } = await compute.unary('waitTask', { id, timeoutMs: 60_000 })
    assert.equal(ended.status, TaskStatus.SUCCEEDED)
    const { message: read } = await compute.unary('getTask', { id })
    assert.equal(read.resourceVersion, ended.resourceVersion)
    const { message: list } = await compute.unary('listTasks', { limit: 100 })
    assert.ok(list.data.some(each => each.id === id))
    const rest = await server.request('GET', `/v1/tasks/${id}`, {
      headers: { authorization: `Bearer ${server.testKey}` },
    })
    assert.equal(rest.body.status, 'succeeded')
  })

  test('streams its events, and a reader resumes after the last one that it has', async () => {
    const { message } = await compute.unary('createTask', task('sandbox:stream'))
    const whole = await eventsOf({ id: message.id })
    assert.equal(whole.at(0)?.type, 'task.queued')
    assert.equal(whole.at(-1)?.type, 'task.succeeded')
    const second = whole[1]
    assert.deepEqual(await eventsOf({ id: message.id, after: second?.sequence as bigint }), whole.slice(2))
  })

  async function eventsOf(request: { readonly id: string; readonly after?: bigint }) {
    const events: { type: string; sequence: bigint }[] = []
    for await (const { type, sequence } of compute.stream('watchTask', request)) events.push({ type, sequence })
    return events
  }
})

describe('idempotency', () => {
  test('the second call with a key is answered as the first', async () => {
    const metadata = { 'idempotency-key': crypto.randomUUID() }
    const first = await compute.unary('createTask', task('sandbox:slow:10'), { metadata })
    const second = await compute.unary('createTask', task('sandbox:slow:10'), { metadata })
    assert.deepEqual(second.message, first.message)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    assert.equal(second.headers['idempotent-replayed'], 'true')
  })

  test('a failure that is kept is told again', async () => {
    const metadata = { 'idempotency-key': crypto.randomUUID() }
    const tries = [0, 1].map(
      () => () => refusal(compute.unary('createTask', { ...task('x'), model: 'none' }, { metadata })),
    )
    const [first, second] = [await tries[0]?.(), await tries[1]?.()]
    assert.equal(first?.code, second?.code)
    assert.deepEqual(second?.faults, first?.faults)
    assert.equal(second?.message, first?.message)
    assert.equal(second?.headers['idempotent-replayed'], 'true')
  })

  test('a key of another request is refused, and so is none that can be one', async () => {
    const metadata = { 'idempotency-key': crypto.randomUUID() }
    await compute.unary('createTask', task('sandbox:slow:10'), { metadata })
    const mismatch = await refusal(compute.unary('createTask', task('sandbox:slow:11'), { metadata }))
    assert.equal(mismatch.code, 'idempotency_mismatch')
    const long = { 'idempotency-key': 'k'.repeat(256) }
    const invalid = await refusal(compute.unary('createTask', task('x'), { metadata: long }))
    assert.deepEqual([invalid.status, invalid.code], [status.INVALID_ARGUMENT, 'invalid_idempotency_key'])
  })
})

describe('a call is refused as REST refuses it', () => {
  test('without a key, and with a wrong one', async t => {
    for (const [key, code] of [
      [undefined, 'missing_credentials'],
      [newKey('test'), 'invalid_credentials'],
      [mistyped(server.testKey), 'invalid_credentials'],
    ] as const) {
      const refused = await refusal(clientOf(t, key).unary('listTasks', {}))
      assert.deepEqual([refused.status, refused.code], [status.UNAUTHENTICATED, code])
    }
  })

  test('with an expired key, and with a revoked one', async t => {
    const make = async (more: object = {}) => {
      const made = await server.request('POST', '/v1/api_keys', {
        json: { name: 'short', scopes: ['tasks:read'], ...more },
      })
      assert.equal(made.status, 201, made.text)
      return made.body
    }
    const expiring = await make({ expires_at: new Date(Date.now() + 1_000).toISOString() })
    const revoked = await make()
    assert.equal((await server.request('DELETE', `/v1/api_keys/${revoked.id}`)).status, 200)
    for (const [{ key }, code] of [
      [expiring, 'expired_credentials'],
      [revoked, 'revoked_credentials'],
    ] as const) {
      const answer = await firstRefusal(clientOf(t, key))
      assert.deepEqual([answer.status, answer.code], [status.UNAUTHENTICATED, code])
    }
  })

  /** Every gateway knows within a second. */
  async function firstRefusal(client: ReturnType<typeof clientOf>) {
    const deadline = performance.now() + 300_000
    for (;;) {
      const answer = await client.unary('listTasks', {}).then(
        () => undefined,
        error => refusal(Promise.reject(error)),
      )
      if (answer !== undefined) return answer
      assert.ok(performance.now() < deadline, 'the key is good still')
    }
  }

  test('with a key of a narrower scope', async t => {
    const account = await newAccount(server, 'narrow')
    const client = clientOf(t, await keyOf(server, account, { scopes: ['tasks:read'] }))
    await client.unary('listTasks', {})
    const refused = await refusal(client.unary('createTask', task('x')))
    assert.deepEqual([refused.status, refused.code], [status.PERMISSION_DENIED, 'insufficient_scope'])
    assert.equal(refused.metadata.scope, 'tasks:write')
  })

  test('over the rate of its plan, and is told when to come back', async t => {
    const account = await newAccount(server, 'fast', { compute: 'starter' })
    const client = clientOf(t, await keyOf(server, account))
    const answers = await Promise.all(
      Array.from({ length: 120 }, () =>
        client.unary('listTasks', { limit: 1 }).then(
          ({ headers }) => headers,
          error => refusal(Promise.reject(error)),
        ),
      ),
    )
    const refused = answers.filter(answer => typeof answer.status === 'number')
    assert.ok(refused.length >= 15 && refused.length <= 20, `${refused.length} were refused`)
    for (const answer of refused) {
      assert.deepEqual([answer.status, answer.code], [status.RESOURCE_EXHAUSTED, 'rate_limited'])
      assert.ok(Number(answer.retryAfterS) >= 1 && Number(answer.retryAfterS) <= 60)
    }
    const passed = answers.find(answer => typeof answer.status !== 'number') as Record<string, string>
    assert.equal(passed['ratelimit-policy'], '"compute";q=100;w=60')
  })

  test('with every fault of its fields, in words that grpc-js can read', async () => {
    const refused = await refusal(compute.unary('createTask', { metadata: { 'a%2Cb, ü': 'x'.repeat(513) } }))
    assert.deepEqual([refused.status, refused.code], [status.INVALID_ARGUMENT, 'missing_parameter'])
    assert.equal(refused.faults.type, 'missing_parameter')
    assert.equal(refused.faults.model, 'missing_parameter')
    assert.match(refused.message, /`type` is required: one of inference, training/)
  })

  test('for an object of another account, which does not exist for its caller', async t => {
    const { message } = await compute.unary('createTask', task('sandbox:slow:10'))
    const stranger = clientOf(t, await keyOf(server, await newAccount(server, 'stranger'), { mode: 'test' }))
    const live = clientOf(t, server.key)
    for (const client of [stranger, live]) {
      for (const name of ['getTask', 'cancelTask', 'waitTask'] as const) {
        const refused = await refusal(client.unary(name, { id: message.id }))
        assert.deepEqual([refused.status, refused.code], [status.NOT_FOUND, 'not_found'])
      }
      await assert.rejects(client.stream('watchTask', { id: message.id }).toArray(), { code: status.NOT_FOUND })
    }
  })

  test('for a method that is not public', async t => {
    const client = grpcClient(LeaseService, target, server.key)
    t.after(() => client.close())
    assert.equal((await refusal(client.unary('claim', {}))).status, status.UNIMPLEMENTED)
  })
})

test('the deadline of a call is kept by the server', async () => {
  const { message } = await compute.unary('createTask', task('sandbox:slow:20000'))
  const metadata = { authorization: `Bearer ${server.testKey}` }
  assert.equal(await statusAtDeadline(server.url, message.id, metadata), status.DEADLINE_EXCEEDED)
  await compute.unary('cancelTask', { id: message.id })
})

test('a stream that breaks with its server goes on after the last event, without loss or repeat', async () => {
  const { message } = await compute.unary('createTask', task('sandbox:slow:3000'))
  const { id } = message
  const seen: string[] = []
  let after: bigint | undefined
  const read = async () => {
    for await (const event of compute.stream('watchTask', { id, ...(after !== undefined && { after }) })) {
      after = event.sequence
      seen.push(`${event.sequence} ${event.type}`)
      if (seen.length === 1) await server.kill()
    }
  }
  await assert.rejects(read(), { code: status.UNAVAILABLE })
  await server.restart()
  const deadline = performance.now() + 300_000
  for (let isOver = false; !isOver; ) {
    isOver = await read().then(
      () => true,
      error => {
        assert.equal(error.code, status.UNAVAILABLE)
        assert.ok(performance.now() < deadline, 'the stream does not go on')
        return false
      },
    )
  }
  const whole: string[] = []
  for await (const event of compute.stream('watchTask', { id })) whole.push(`${event.sequence} ${event.type}`)
  assert.deepEqual(seen, whole)
  assert.match(whole.at(-1) ?? '', /task\.succeeded$/)
})

test('a file is read and not larger than a message may be', async t => {
  const sent = await server.request('POST', '/v1/files?purpose=input&filename=a.txt', {
    headers: { 'content-type': 'text/plain' },
    raw: 'what is in it',
  })
  assert.equal(sent.status, 201, sent.text)
  const files = grpcClient(FileService, target, server.key)
  t.after(() => files.close())
  const parts = await files.stream('getFileContent', { id: sent.body.id }).toArray()
  const bytes = parts.flatMap(({ part }) => (part.case === 'data' ? [part.value] : []))
  assert.equal(Buffer.concat(bytes).toString(), 'what is in it')
  const large = await refusal(compute.unary('createTask', task('x'.repeat(2_000_000))))
  assert.deepEqual([large.status, large.code], [status.RESOURCE_EXHAUSTED, 'payload_too_large'])
})

describe('behind TLS', { skip: opensslMissing }, () => {
  test('of a proxy that offers h2, as of a load balancer', async t => {
    const authority = createAuthority('ours')
    const { hostname, port } = new URL(server.url)
    const sockets = new Set<Socket>()
    const proxy = createTlsServer({ ...authority.issue(), ALPNProtocols: ['h2', 'http/1.1'] }, inner => {
      const outer = connect(Number(port), hostname)
      for (const socket of [inner, outer]) {
        sockets.add(socket)
        socket.on('error', () => {}).once('close', () => sockets.delete(socket))
      }
      inner.pipe(outer).pipe(inner)
    })
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    })
    const secure = credentials.createSsl(Buffer.from(authority.ca))
    const address = `127.0.0.1:${(proxy.address() as { port: number }).port}`
    const client = grpcClient(ComputeService, address, server.testKey, { secure })
    t.after(() => client.close())
    assert.equal((await client.unary('createTask', task('sandbox:slow:10'))).message.model, 'digits')
  })
})
