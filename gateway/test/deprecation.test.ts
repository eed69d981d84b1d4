/** A call that is going to end says so with every answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, createFileRegistry, type DescService, setExtension } from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import { fail } from '@millhand/api'
import { http } from '@millhand/api/gen/google/api/annotations_pb.ts'
import { HttpRuleSchema } from '@millhand/api/gen/google/api/http_pb.ts'
import { file_grpc_health_v1_health } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import {
  AccessSchema,
  access,
  DeprecationSchema,
  deprecation,
  Limit,
} from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import { createDirectTransport } from '@millhand/rpc'
import { openapiDocument } from '../src/openapi/document.ts'
import { start } from './start.ts'

const old = oldService()

test('`Deprecation`, `Sunset` and a link are on every answer of its routes', async t => {
  const transport = createDirectTransport()
  transport.service(old, {
    getOld: ({ service }: { service: string }) => {
      if (service === 'gone') throw fail('not_found', 'There is none.')
      return { id: service }
    },
  } as never)
  const { call, url } = await start(t, { services: [old], transport })
  for (const [status, answer] of [
    [200, await call('/v1/old/a')],
    [404, await call('/v1/old/gone')],
    [400, await call('/v1/old/a?b=1')],
    [401, await fetch(`${url}/v1/old/a`)],
  ] as const) {
    assert.equal(answer.status, status)
    assert.equal(answer.headers.get('deprecation'), `@${Date.UTC(2026, 10, 21) / 1000}`)
    assert.equal(answer.headers.get('sunset'), 'Mon, 31 May 2027 23:59:59 GMT')
    assert.equal(answer.headers.get('link'), '</changelog#old>; rel="deprecation"')
  }
  assert.equal((await call('/v1/new/a')).headers.get('deprecation'), null)
})

test('its operation is marked in OpenAPI', () => {
  const document = openapiDocument([old], () => 'Gets what is old.') as {
    paths: Record<string, Record<string, object>>
  }
  assert.partialDeepStrictEqual(document.paths['/v1/old/{service}']?.get, { deprecated: true })
})

function oldService(): DescService {
  const options = create(MethodOptionsSchema)
  setExtension(options, http, create(HttpRuleSchema, { pattern: { case: 'get', value: '/v1/old/{service}' } }))
  setExtension(options, access, create(AccessSchema, { scope: 'tasks:read', limit: Limit.COMPUTE }))
  const said = { since: '2026-11-21', sunset: '2027-05-31', link: '/changelog#old' }
  setExtension(options, deprecation, create(DeprecationSchema, said))
  const file = create(FileDescriptorProtoSchema, {
    name: 'old.proto',
    package: 'fixture',
    syntax: 'proto3',
    // Of the contract: a request that nothing was generated for is not served.
    dependency: [file_grpc_health_v1_health.proto.name],
    messageType: [{ name: 'Old', field: [{ name: 'id', number: 1, type: Type.STRING }] }],
    service: [
      {
        name: 'OldService',
        method: [
          { name: 'GetOld', inputType: '.grpc.health.v1.HealthCheckRequest', outputType: '.fixture.Old', options },
        ],
      },
    ],
  })
  return createFileRegistry(file, () => file_grpc_health_v1_health.proto).getService(
    'fixture.OldService',
  ) as DescService
}
