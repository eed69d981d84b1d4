import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { create, createFileRegistry, fromBinary, getOption, type MessageInitShape } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Code, createClient } from '@connectrpc/connect'
import {
  ServerReflection,
  type ServerReflectionRequestSchema,
} from '@millhand/api/gen/grpc/reflection/v1/reflection_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import { openServer, token } from './network.fixture.ts'
import { createNetworkTransport } from './network-transport.ts'
import { ReflectionAlpha } from './reflection-alpha.ts'

type Request = MessageInitShape<typeof ServerReflectionRequestSchema>
type Asked = NonNullable<Request['messageRequest']>

for (const [version, service] of [
  ['v1', ServerReflection],
  ['v1alpha', ReflectionAlpha],
] as const) {
  describe(`reflection ${version}`, () => {
    it('lists what is served', async test => {
      const [response] = await ask(test, service, { case: 'listServices', value: '' })
      assert.equal(response?.messageResponse.case, 'listServicesResponse')
      assert.deepEqual(response.messageResponse.value.service.map(({ name }) => name).sort(), [
        'grpc.health.v1.Health',
        'grpc.reflection.v1.ServerReflection',
        'grpc.reflection.v1alpha.ServerReflection',
        'millhand.compute.v1.ComputeService',
      ])
      assert.deepEqual(response.originalRequest?.messageRequest, { case: 'listServices', value: '' })
      assert.equal(response.validHost, 'host')
    })

    const compute = 'millhand/compute/v1'
    for (const [symbol, file] of [
      ['millhand.compute.v1.ComputeService', `${compute}/compute_service.proto`],
      ['.millhand.compute.v1.ComputeService', `${compute}/compute_service.proto`],
      ['millhand.compute.v1.ComputeService.GetTask', `${compute}/compute_service.proto`],
      ['millhand.compute.v1.CreateTaskRequest', `${compute}/task_request.proto`],
      ['millhand.compute.v1.Task.model', `${compute}/task.proto`],
      ['millhand.compute.v1.TaskStatus', `${compute}/task.proto`],
      ['millhand.compute.v1.TASK_STATUS_QUEUED', `${compute}/task.proto`],
      ['millhand.type.v1.access', 'millhand/type/v1/access.proto'],
      ['google.protobuf.Struct', 'google/protobuf/struct.proto'],
    ] as const) {
      it(`finds ${symbol}`, async test => {
        const [response] = await ask(test, service, { case: 'fileContainingSymbol', value: symbol })
        assert.equal(filesIn(response)[0]?.name, file)
        registryOf(response)
      })
    }

    it('gives files that stand on their own, custom options included', async test => {
      const [response] = await ask(test, service, { case: 'fileContainingSymbol', value: ComputeService.typeName })
      const found = registryOf(response).getService(ComputeService.typeName)
      assert.deepEqual(
        found?.methods.map(({ name }) => name),
        ComputeService.methods.map(({ name }) => name),
      )
      assert.ok(found?.method.createTask)
      assert.equal(getOption(found.method.createTask, access).scope, 'tasks:write')
    })

    it('sends no import twice in one stream', async test => {
      const asked: Asked = { case: 'fileByFilename', value: 'millhand/compute/v1/task.proto' }
      const [first, second] = await ask(test, service, asked, asked)
      assert.ok(filesIn(first).length > 1)
      assert.deepEqual(
        filesIn(second).map(({ name }) => name),
        ['millhand/compute/v1/task.proto'],
      )
    })

    it('knows the extensions of a type', async test => {
      const [numbers, file, none] = await ask(
        test,
        service,
        { case: 'allExtensionNumbersOfType', value: 'google.protobuf.MethodOptions' },
        {
          case: 'fileContainingExtension',
          value: { containingType: 'google.protobuf.MethodOptions', extensionNumber: access.number },
        },
        { case: 'allExtensionNumbersOfType', value: 'millhand.compute.v1.Task' },
      )
      assert.equal(numbers?.messageResponse.case, 'allExtensionNumbersResponse')
      assert.ok(numbers.messageResponse.value.extensionNumber.includes(access.number))
      assert.equal(filesIn(file)[0]?.name, 'millhand/type/v1/access.proto')
      assert.equal(none?.messageResponse.case, 'allExtensionNumbersResponse')
      assert.deepEqual(none.messageResponse.value.extensionNumber, [])
    })

    it('says what it does not know, and goes on', async test => {
      const answers = await ask(
        test,
        service,
        { case: 'fileByFilename', value: 'no.proto' },
        { case: 'fileContainingSymbol', value: 'no.Symbol' },
        { case: 'fileContainingExtension', value: { containingType: 'no.Type', extensionNumber: 1 } },
        { case: 'allExtensionNumbersOfType', value: 'no.Type' },
        { case: undefined },
      )
      assert.deepEqual(
        answers.map(({ messageResponse: { value } }) => (value as { errorCode?: Code }).errorCode),
        [Code.NotFound, Code.NotFound, Code.NotFound, Code.NotFound, Code.InvalidArgument],
      )
    })
  })
}

async function ask(test: TestContext, service: typeof ServerReflection, ...asked: Asked[]) {
  const server = await openServer(router => router.service(ComputeService, {}))
  const transport = createNetworkTransport({ url: server.url, token, protocol: 'grpc' })
  test.after(async () => {
    transport.close()
    await server.close(0)
  })
  const requests = Readable.from(asked.map(messageRequest => ({ host: 'host', messageRequest })))
  return await Array.fromAsync(createClient(service, transport).serverReflectionInfo(requests))
}

type Response = Awaited<ReturnType<typeof ask>>[number] | undefined

function filesIn(response: Response) {
  assert.equal(response?.messageResponse.case, 'fileDescriptorResponse')
  return response.messageResponse.value.fileDescriptorProto.map(bytes => fromBinary(FileDescriptorProtoSchema, bytes))
}

/** What a client makes of the answer: the file that was asked for comes first, the others each after its imports. */
function registryOf(response: Response) {
  const [first, ...others] = filesIn(response)
  assert.ok(first)
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...others, first] }))
}
