import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { create, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import { ErrorInfoSchema } from '@millhand/api/gen/google/rpc/error_details_pb.ts'
import { Health } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { TunnelService } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { ContractService } from '../contract-service.ts'
import { principalKey, requestIdKey } from '../principal.ts'
import { createAdmission } from './admit.ts'
import { everyService } from './every-service.fixture.ts'
import { caller, clockAtNoon, noon, openServer, otherSecret, secret } from './network.fixture.ts'
import { createNetworkTransport } from './network-transport.ts'
import { ReflectionAlpha } from './reflection-alpha.ts'
import { allOf, mintServiceToken } from './service-token.ts'
import { createPrincipalSigner } from './signed-principal.ts'

const tokenFor = (service: DescService, accounts = true, key = secret) =>
  mintServiceToken(key, { service: 'test', methods: [allOf(service)], accounts })
const strange = createPrincipalSigner(otherSecret, clockAtNoon())(caller)
const principal = createPrincipalSigner(secret, clockAtNoon())(caller)
const requestId = 'req_01jd7x8f2wfyqs3m6k9v0t4b5c'

describe('admit', () => {
  const clock = { now: () => noon }
  const admission = createAdmission({ secret, clock })
  const admit = (method: DescMethod, token: string, header: Record<string, string> = {}) =>
    admission.admit({ requestHeader: new Headers({ authorization: `Bearer ${token}` }) }, method, new Headers(header))

  it('gives the principal and the request id of the call', () => {
    const values = admit(ComputeService.method.getTask, tokenFor(ComputeService), {
      'millhand-principal': principal,
      'millhand-request-id': requestId,
    })
    assert.deepEqual(values.get(principalKey), caller)
    assert.equal(values.get(requestIdKey), requestId)
  })

  it('gives nothing that the call does not have, and passes over what is no request id', () => {
    const values = admit(ComputeService.method.getTask, tokenFor(ComputeService), { 'millhand-request-id': 'req_\n' })
    assert.equal(values.get(principalKey), undefined)
    assert.equal(values.get(requestIdKey), undefined)
  })

  it('takes the header of a call on its own from where its token is', () => {
    const requestHeader = new Headers({
      authorization: `bearer ${tokenFor(ComputeService)}`,
      'millhand-principal': principal,
    })
    assert.deepEqual(admission.admit({ requestHeader }, ComputeService.method.getTask).get(principalKey), caller)
  })

  it('does not take the principal of a tunnel for that of its calls', () => {
    const requestHeader = new Headers({
      authorization: `Bearer ${tokenFor(ComputeService)}`,
      'millhand-principal': principal,
    })
    const values = admission.admit({ requestHeader }, ComputeService.method.getTask, new Headers())
    assert.equal(values.get(principalKey), undefined)
  })

  it('admits each call of a tunnel by itself, whatever the one before', () => {
    const tunnel = { requestHeader: new Headers({ authorization: `Bearer ${tokenFor(LeaseService, false)}` }) }
    admission.admit(tunnel, LeaseService.method.claim, new Headers())
    assert.throws(
      () => admission.admit(tunnel, ComputeService.method.getTask, new Headers()),
      isRefusal(Code.PermissionDenied),
    )
  })

  it('refuses a principal from who may not name accounts', () => {
    const named = { 'millhand-principal': principal }
    assert.throws(
      () => admit(LeaseService.method.claim, tokenFor(LeaseService, false), named),
      isRefusal(Code.PermissionDenied, 'insufficient_scope'),
    )
  })

  it('refuses a principal that is expired or strange, with a good token too', () => {
    const later = createAdmission({ secret, clock: { now: () => noon + 60_000 } })
    const carrier = { requestHeader: new Headers({ authorization: `Bearer ${tokenFor(ComputeService)}` }) }
    const method = ComputeService.method.getTask
    for (const [admission_, sent, code] of [
      [later, principal, 'expired_credentials'],
      [admission, strange, 'invalid_credentials'],
      [admission, '', 'invalid_credentials'],
    ] as const) {
      assert.throws(
        () => admission_.admit(carrier, method, new Headers({ 'millhand-principal': sent })),
        isRefusal(Code.Unauthenticated, code),
      )
    }
  })

  it('refuses what is not a bearer token', () => {
    for (const authorization of ['Bearer', 'Bearer ', `Basic ${tokenFor(ComputeService)}`, tokenFor(ComputeService)]) {
      assert.throws(
        () => admission.admit({ requestHeader: new Headers({ authorization }) }, ComputeService.method.getTask),
        isRefusal(Code.Unauthenticated, 'invalid_credentials'),
      )
    }
  })

  it('is no fault of the user whom the gateway calls for', () => {
    const requestHeader = new Headers()
    assert.throws(
      () => admission.admit({ requestHeader }, ComputeService.method.getTask),
      error => codeOf(error) === 'internal',
    )
  })
})

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
          [tokenFor(service, true, otherSecret), Code.Unauthenticated, 'invalid_credentials'],
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
