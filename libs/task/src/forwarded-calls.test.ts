/** From a replica to the owner over a network: a call that its caller waits for no more ends there too. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import {
  type CallOptions,
  type Client,
  Code,
  ConnectError,
  createClient,
  type HandlerContext,
  type Transport,
} from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { systemClock as clock, createHealth } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import {
  createAdmission,
  createCredentialsIssuer,
  createNetworkTransport,
  createPrincipalSigner,
  outgoingHeaders,
  serveNetwork,
} from '@millhand/rpc/network'
import { createTunnelTransport, tunnelRoutes } from '@millhand/rpc/tunnel'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { errandCollections } from './errand-service.fixture.ts'
import { as, createReplicas } from './replicas.fixture.ts'

interface Clients {
  readonly tasks: Client<typeof ComputeService>
  readonly leases: Client<typeof LeaseService>
}

const id = 'wtask_01jd7x8f2wfyqs3m6k9v0t4b5c'
const claim = { executorId: 'exec_a', pool: 'live/errands', runs: 1, waitMs: 60_000 }

/** What is passed on, and a deadline for it in milliseconds: a wait ends by itself a second before its own. */
const passedOn: Record<string, readonly [number, (clients: Clients, options: CallOptions) => Promise<unknown>]> = {
  WaitTask: [3_000, ({ tasks }, options) => tasks.waitTask({ id, timeoutMs: 60_000 }, { ...as, ...options })],
  WatchTask: [
    2_000,
    async ({ tasks }, options) => {
      for await (const _ of tasks.watchTask({ id }, { ...as, ...options })) assert.fail('nothing happens')
    },
  ],
  Claim: [2_000, ({ leases }, options) => leases.claim(claim, options)],
  Finish: [2_000, ({ leases }, options) => leases.finish({ executorId: 'exec_a' }, options)],
}

describe('a call that a replica passes on to the owner', { concurrency: true }, () => {
  for (const [method, [timeoutMs, ask]] of Object.entries(passedOn)) {
    it(`${method} ends at its deadline, here and there`, async test => {
      const { clients, begun } = await open(test)
      const failed = failure(ask(clients, { timeoutMs }))
      const call = await first(begun, failed)
      assert.equal(call.method.name, method)
      const leftMs = call.timeoutMs()
      assert.ok(leftMs !== undefined && leftMs <= timeoutMs)
      assert.equal((await failed).code, Code.DeadlineExceeded)
      await fired(call.signal)
    })

    it(`${method} ends when its caller cancels, here and there`, async test => {
      const { clients, begun } = await open(test)
      const calling = new AbortController()
      const failed = failure(ask(clients, { signal: calling.signal }))
      const call = await first(begun, failed)
      assert.ok(!call.signal.aborted)
      calling.abort()
      assert.equal((await failed).code, Code.Canceled)
      await fired(call.signal)
    })
  }
})

/** A caller of a replica, and an owner that answers renewals alone: `begun` is the first other call that comes to it. */
async function open(test: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-hop-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const { tasks, emissions } = errandCollections(db)
  const replicas = createReplicas({ tasks, emissions, blobs: await filesystemBlobs(join(folder, 'blobs')) })
  const closing: (() => Promise<void>)[] = []
  test.after(async () => {
    for (const close of closing.reverse()) await close()
    await replicas.end()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const { promise: begun, resolve: begin } = Promise.withResolvers<HandlerContext>()
  const never = (_: unknown, call: HandlerContext): Promise<never> => {
    begin(call)
    return new Promise(() => {})
  }
  // biome-ignore lint/correctness/useYield: nothing happens
  async function* watchTask(request: unknown, call: HandlerContext) {
    await never(request, call)
  }
  const owner = createDirectTransport()
  serve(router => {
    router.service(ComputeService, { waitTask: never, watchTask })
    router.service(LeaseService, { claim: never, finish: never, renew: () => ({}) })
  }, owner)

  const replica = replicas.start('replica', clock)
  replica.belief = 'owner'
  replicas.network.set('owner', await reached(owner, closing))
  const way = await reached(replicas.network.get('replica') as Transport, closing)
  const clients = { tasks: createClient(ComputeService, way), leases: createClient(LeaseService, way) }
  await clients.leases.renew({ executorId: 'exec_a' }) // Then both ways are open, and no deadline passes before.
  return { clients, begun }
}

const issuer = createCredentialsIssuer(Buffer.from('a secret of this deployment, for tests alone'))
const { token, secret = '' } = issuer.issue('compute', { calls: [ComputeService, LeaseService], secret: true })
const headers = outgoingHeaders(createPrincipalSigner(Buffer.from(secret)).sign)

/** What is served on a transport in this process, as another process reaches it. */
async function reached(transport: Transport, closing: (() => Promise<void>)[]): Promise<Transport> {
  const log = createLog({ level: 'error' })
  const admission = createAdmission({ trusted: [issuer.publicKey], clock, log })
  const tunnels = tunnelRoutes({ transport, services: [ComputeService, LeaseService], admit: admission.admit })
  const server = await serveNetwork({
    address: { host: '127.0.0.1', port: 0 },
    services: () => {},
    extra: [tunnels],
    admission,
    health: createHealth(),
    log,
  })
  const connection = createNetworkTransport({ url: server.url, token })
  const tunnel = createTunnelTransport({ replicas: [connection], headers })
  closing.push(async () => {
    await tunnel.close()
    connection.close()
    await server.close(0)
  })
  return tunnel
}

const failure = (call: Promise<unknown>): Promise<ConnectError> =>
  call.then(
    () => assert.fail('the call was answered'),
    reason => ConnectError.from(reason),
  )

/** The call that has begun, or why none will. */
const first = (begun: Promise<HandlerContext>, failed: Promise<ConnectError>): Promise<HandlerContext> =>
  Promise.race([begun, failed.then(error => Promise.reject(error))])

async function fired(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort', { signal: AbortSignal.timeout(300_000) })
}
