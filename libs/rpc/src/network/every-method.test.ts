/** No method of any service is answered to who may not call it. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { create, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { ErrorInfoSchema } from '@millhand/api/gen/google/rpc/error_details_pb.ts'
import { Health } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { TunnelService } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { ContractService } from '../contract-service.fixture.ts'
import { everyService } from './every-service.fixture.ts'
import { caller, clockAtNoon, mintToken, openServer, otherSecret, secret, signer } from './network.fixture.ts'
import { createNetworkTransport } from './network-transport.ts'
import { ReflectionAlpha } from './reflection-alpha.ts'
import { allOf } from './service-token.ts'
import { createPrincipalSigner } from './signed-principal.ts'

const tokenFor = (service: DescService, by: Uint8Array = secret) =>
  mintToken({ service: 'test', methods: [allOf(service)], signer }, by)
const expiredFor = (service: DescService) => mintToken({ service: 'test', methods: [allOf(service)], expiresAt: 1 })
const principal = createPrincipalSigner(secret, clockAtNoon()).sign(caller)

describe('every method of every service', async () => {
  const services = await everyService()
  const handled: string[] = []
  let server: Awaited<ReturnType<typeof openServer>>

  before(async () => {
    server = await openServer(router => {
      for (const service of [...services, ContractService]) {
        if (service === Health || service === ServerReflection) continue
        const impl = service.methods.map(method => [method.localName, () => handled.push(`${method}`)])
        router.service(service, Object.fromEntries(impl))
      }
    })
  })
  after(() => server.close(0))

  it('is found', () => {
    const names = services.map(({ typeName }) => typeName)
    for (const service of [ComputeService, LeaseService, TunnelService, Health])
      assert.ok(names.includes(service.typeName))
  })

  const guarded = [...services, ReflectionAlpha].filter(service => service !== Health)
  const openToAll = new Set<DescService>([ServerReflection, ReflectionAlpha, TunnelService])
  for (const protocol of ['connect', 'grpc', 'grpc-web'] as const) {
    for (const service of guarded) {
      it(`refuses who may not call ${service.typeName} by ${protocol}`, async () => {
        const strangers: [string | undefined, Code, string][] = [
          [undefined, Code.Unauthenticated, 'missing_credentials'],
          ['', Code.Unauthenticated, 'invalid_credentials'],
          [principal, Code.Unauthenticated, 'invalid_credentials'],
          [tokenFor(service, otherSecret), Code.Unauthenticated, 'invalid_credentials'],
          [expiredFor(service), Code.Unauthenticated, 'expired_credentials'],
        ]
        if (!openToAll.has(service)) {
          strangers.push([tokenFor(ContractService), Code.PermissionDenied, 'insufficient_scope'])
        }
        const secrets = [secret.toString(), ...strangers.flatMap(([token]) => token || [])]
        for (const [token, code, reason] of strangers) {
          const options = { url: server.url, protocol, ...(token === undefined ? {} : { token }) }
          const transport = createNetworkTransport(options)
          try {
            for (const method of service.methods) {
              const error = await failure(transport, method)
              assert.ok(isRefusal(code, reason)(error), `${method} with ${token}: ${error}`)
              for (const text of secrets) assert.ok(!`${error.message}${error.stack}`.includes(text))
            }
          } finally {
            transport.close()
          }
        }
        assert.deepEqual(handled, [])
        for (const text of secrets) assert.ok(!server.lines.join('').includes(text))
      })
    }
  }

  it('answers who may call it', async () => {
    const transport = createNetworkTransport({ url: server.url, token: tokenFor(LeaseService) })
    const request = { executorId: 'executor', pool: 'live/onnx', runs: 1 }
    await transport.unary(LeaseService.method.claim, undefined, undefined, undefined, request).catch(() => {})
    transport.close()
    assert.deepEqual(handled.splice(0), [`${LeaseService.method.claim}`])
  })

  it('that nobody serves is told from one that is, only to who has a token', async () => {
    const { claim } = LeaseService.method
    const unserved = { ...claim, parent: { ...LeaseService, typeName: 'millhand.lease.v1.NoService' } } as DescMethod
    for (const [token, code] of [
      [undefined, Code.Unauthenticated],
      ['mhs_x', Code.Unauthenticated],
      [tokenFor(ContractService), Code.Unimplemented],
    ] as const) {
      for (const protocol of ['connect', 'grpc', 'grpc-web'] as const) {
        const transport = createNetworkTransport({
          url: server.url,
          protocol,
          ...(token === undefined ? {} : { token }),
        })
        assert.equal((await failure(transport, unserved)).code, code)
        transport.close()
      }
    }
  })

  it('of health answers without a token', async () => {
    const transport = createNetworkTransport({ url: server.url })
    await transport.unary(Health.method.check, undefined, undefined, undefined, {})
    transport.close()
  })
})

/** The error that a call of the method ends with. */
async function failure(transport: Transport, method: DescMethod): Promise<ConnectError> {
  try {
    await answered(transport as unknown as Erased, method)
  } catch (error) {
    assert.ok(error instanceof ConnectError)
    return error
  }
  return assert.fail(`${method} was answered`)
}

async function answered(transport: Erased, method: DescMethod): Promise<void> {
  const request = create(method.input)
  if (method.methodKind === 'unary') await transport.unary(method, undefined, undefined, undefined, request)
  else {
    const { message } = await transport.stream(method, undefined, undefined, undefined, Readable.from([request]))
    for await (const _ of message) return
  }
}

/** A transport for methods of every kind. */
type Erased = Record<
  'unary' | 'stream',
  (...call: [DescMethod, undefined, undefined, undefined, unknown]) => Promise<{ message: AsyncIterable<unknown> }>
>

const isRefusal = (code: Code, reason?: string) => (error: unknown) =>
  error instanceof ConnectError &&
  error.code === code &&
  (reason === undefined || error.findDetails(ErrorInfoSchema)[0]?.reason === reason)
