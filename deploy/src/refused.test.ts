/** Every method of every service that runs is refused to whoever may not call it: found by asking, not listed here. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import {
  create,
  createFileRegistry,
  type DescMethod,
  type DescService,
  type FileRegistry,
  fromBinary,
  type MessageInitShape,
} from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createApiKey } from '@millhand/api'
import { Health } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionRequestSchema,
} from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'
import { ExecutorService } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import { createCredentialsIssuer, createNetworkTransport } from '@millhand/rpc/network'
import { createTunnelTransport } from '@millhand/rpc/tunnel'
import { javaMissing, startKafka, startMongo } from '@millhand/test-servers'
import { credentialsFor, serve } from './processes.fixture.ts'
import { urlVariable } from './service-urls.ts'
import {
  type CallerName,
  calleesOf,
  callers,
  grantOf,
  isCalled,
  type ServiceName,
  serviceNames,
  services,
  startSteps,
} from './services.ts'

const names = (Object.keys(callers) as CallerName[]).filter(name => grantOf(name).calls.length > 0)
const tokenOf = (service: CallerName) => credentialsFor(service).MILLHAND_SERVICE_TOKEN as string

describe('a running process', { skip: javaMissing }, () => {
  const parts = new AsyncDisposableStack()
  const urls = new Map<string, string>()
  /** Of all processes. */
  const answered = new Map<string, DescService>()

  before(async () => {
    const [kafka, mongo] = await Promise.all([startKafka(), startMongo()])
    parts.use(kafka)
    parts.use(mongo)
    const shared = { MILLHAND_GRPC_ADDR: '127.0.0.1:0', MILLHAND_KAFKA_BROKERS: kafka.address }
    const start = async (name: ServiceName): Promise<void> => {
      const env = {
        ...shared,
        ...credentialsFor(name),
        ...(services[name].database && { MILLHAND_MONGO_URL: mongo.url('millhand') }),
        ...(name === 'identity' && {
          MILLHAND_BOOTSTRAP_KEY: createApiKey('live'),
          MILLHAND_BOOTSTRAP_TEST_KEY: createApiKey('test'),
        }),
        ...Object.fromEntries(calleesOf(name).map(callee => [urlVariable(callee), urls.get(callee) as string])),
      }
      urls.set(name, (await parts.use(serve([name], env)).ready).grpc)
    }
    for (const step of startSteps()) await Promise.all(step.filter(name => name !== 'gateway').map(start))
    for (const name of serviceNames.filter(isCalled)) {
      for (const service of await listed(urls.get(name) as string, tokenOf('executor'))) {
        answered.set(service.typeName, service)
      }
    }
  })
  after(() => parts.disposeAsync())

  it('lists its services to whoever has a token', () => {
    for (const name of ['Health', 'ComputeService', 'IdentityService', 'LeaseService', 'OwnerService', 'TunnelService'])
      assert.ok(
        [...answered.values()].some(service => service.name === name),
        name,
      )
  })

  for (const process of serviceNames.filter(name => name !== 'gateway')) {
    it(`${process} refuses every method without a good token`, async () => {
      const other = createCredentialsIssuer(Buffer.from('the operator of another deployment, who is nobody here'))
      const strangers: [string, string | undefined][] = [
        ['no token', undefined],
        ...names.map((name): [string, string] => [
          `another operator’s token of ${name}`,
          other.issue(name, grantOf(name)).token,
        ]),
        ...names.map((name): [string, string] => [
          `an expired token of ${name}`,
          credentialsFor(name, Date.now() - 1).MILLHAND_SERVICE_TOKEN as string,
        ]),
        // An executor is asked for its health, and for nothing else by anyone.
        ...(process === 'executor' ? names.map((name): [string, string] => [name, tokenOf(name)]) : []),
      ]
      for (const [who, token] of strangers) {
        await using transport = open(urls.get(process) as string, token)
        for (const method of guarded(answered)) {
          const { code } = await failure(transport, method)
          assert.equal(Code[code], 'Unauthenticated', `${method} with ${who}`)
        }
      }
    })
  }

  for (const process of serviceNames.filter(isCalled)) {
    it(`${process} refuses every method to services that have no right to it, in tunnels too`, async () => {
      let refused = 0
      const own = await listed(urls.get(process) as string, tokenOf('gateway'))
      for (const name of names) {
        await using transport = open(urls.get(process) as string, tokenOf(name))
        await using tunnel = createTunnel(transport)
        for (const service of own) {
          if (!service.typeName.startsWith('millhand.') || service.typeName === 'millhand.rpc.v1.TunnelService')
            continue
          if (tokenless.has(service.typeName)) continue
          if (grantOf(name).calls.some(({ typeName }) => typeName === service.typeName)) continue
          for (const method of service.methods) {
            for (const way of [transport, tunnel]) {
              refused++
              assert.equal(Code[(await failure(way, method)).code], 'PermissionDenied', `${method} to ${name}`)
            }
          }
        }
      }
      assert.ok(refused > 0)
    })
  }

  it('says how it is to everybody', async () => {
    for (const url of urls.values()) {
      await using transport = open(url, undefined)
      assert.ok(await createClient(Health, transport).check({}))
    }
  })
})

/** All but health. */
/** What takes no service's token: the join credential of an executor in an instance is in the request itself. */
const tokenless: ReadonlySet<string> = new Set([Health.typeName, ExecutorService.typeName])

const guarded = (services: ReadonlyMap<string, DescService>): DescMethod[] =>
  [...services.values()].filter(({ typeName }) => !tokenless.has(typeName)).flatMap(({ methods }) => methods)

function open(url: string, token: string | undefined): Transport & AsyncDisposable {
  const transport = createNetworkTransport({ url, ...(token !== undefined && { token }) })
  return { ...transport, [Symbol.asyncDispose]: async () => transport.close() }
}

function createTunnel(replica: Transport): Transport & AsyncDisposable {
  const tunnel = createTunnelTransport({ replicas: [replica] })
  return Object.assign(tunnel, { [Symbol.asyncDispose]: () => tunnel.close() })
}

/** The services of a process, as its reflection describes them. */
async function listed(url: string, token: string): Promise<DescService[]> {
  await using transport = open(url, token)
  const { serverReflectionInfo } = createClient(ServerReflection, transport)
  const ask = async (request: MessageInitShape<typeof ServerReflectionRequestSchema>) => {
    for await (const { messageResponse } of serverReflectionInfo(Readable.from([request]))) return messageResponse
    return assert.fail('reflection gave no answer')
  }
  const list = await ask({ messageRequest: { case: 'listServices', value: '' } })
  assert.equal(list.case, 'listServicesResponse')
  const symbols = list.value.service.map(({ name }) => name)
  const files = new Map<string, FileDescriptorProto>()
  /** What a file needs comes before it. */
  const add = async (messageRequest: Question): Promise<void> => {
    const answer = await ask({ messageRequest })
    assert.equal(answer.case, 'fileDescriptorResponse')
    for (const bytes of answer.value.fileDescriptorProto) {
      const file = fromBinary(FileDescriptorProtoSchema, bytes)
      for (const value of file.dependency) if (!files.has(value)) await add({ case: 'fileByFilename', value })
      files.set(file.name, file)
    }
  }
  for (const value of symbols) await add({ case: 'fileContainingSymbol', value })
  const registry: FileRegistry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...files.values()] }))
  return symbols.map(name => registry.getService(name) ?? assert.fail(`${name} is listed and not described`))
}

type Question = ServerReflectionRequest['messageRequest']

/** The error that a call of the method ends with. */
async function failure(transport: Transport, method: DescMethod): Promise<ConnectError> {
  try {
    await answered(transport as unknown as Erased, method)
  } catch (error) {
    return ConnectError.from(error)
  }
  return assert.fail(`${method} was answered`)
}

async function answered(transport: Erased, method: DescMethod): Promise<void> {
  const request = create(method.input)
  if (method.methodKind === 'unary') await transport.unary(method, undefined, 5_000, undefined, request)
  else {
    const { message } = await transport.stream(method, undefined, 5_000, undefined, Readable.from([request]))
    for await (const _ of message) return
  }
}

/** A transport for methods of every kind. */
type Erased = Record<
  'unary' | 'stream',
  (...call: [DescMethod, undefined, number, undefined, unknown]) => Promise<{ message: AsyncIterable<unknown> }>
>
