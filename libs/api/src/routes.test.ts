import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DescService, MessageInitShape } from '@bufbuild/protobuf'
import { create, createFileRegistry, setExtension } from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import { http } from './gen/google/api/annotations_pb.ts'
import { type HttpRule, HttpRuleSchema } from './gen/google/api/http_pb.ts'
import { ComputeService } from './gen/millhand/compute/v1/compute_service_pb.ts'
import { IdentityService } from './gen/millhand/identity/v1/identity_service_pb.ts'
import { AccessSchema, access, DeprecationSchema, deprecation, Limit } from './gen/millhand/type/v1/access_pb.ts'
import { httpRoutes } from './routes.ts'

test('the routes of compute are those of the contract', () => {
  const routes = httpRoutes([ComputeService, IdentityService])
  const shown = routes.map(({ method, template, desc }) => `${method} ${template} ${desc.name}`)
  for (const expected of [
    'POST /v1/tasks CreateTask',
    'GET /v1/tasks/{id} GetTask',
    'GET /v1/tasks/{id}/events WatchTask',
    'POST /v1/tasks/{id}/stream_token CreateStreamToken',
    'GET /v1/tasks ListTasks',
    'DELETE /v1/tasks/{id} CancelTask',
    'DELETE /v1/tasks/{id}/data DeleteTaskData',
    'GET /v1/models ListModels',
    'GET /v1/models/{id} GetModel',
  ]) {
    assert.ok(shown.includes(expected), expected)
  }
  const create = routes.find(({ desc }) => desc.name === 'CreateTask')
  assert.equal(create?.body, '*')
  assert.equal(create?.answer.status, 201)
  assert.equal(create?.access.scope, 'tasks:write')
  const data = routes.find(({ desc }) => desc.name === 'DeleteTaskData')
  assert.deepEqual(data?.segments, ['v1', 'tasks', { field: 'id' }, 'data'])
  assert.deepEqual(data?.pathFields, ['id'])
  assert.equal(data?.body, undefined)
  assert.equal(data?.answer.status, 200)
  assert.equal(data?.service, ComputeService)
})

test('additional bindings are routes too', () => {
  const routes = httpRoutes([
    service({ pattern: get('/v1/a'), additionalBindings: [rule({ pattern: get('/v1/b/{id}') })] }),
  ])
  assert.deepEqual(
    routes.map(({ template }) => template),
    ['/v1/a', '/v1/b/{id}'],
  )
})

test('a rule without access does not start', () => {
  assert.throws(() => httpRoutes([service({ pattern: get('/v1/a') }, { access: {} })]), /no access option/)
  assert.throws(() => httpRoutes([service({ pattern: get('/v1/a') }, {})]), /no access option/)
})

test('a rule that counts against no limit does not start', () => {
  const unlimited = service({ pattern: get('/v1/a') }, { access: { scope: 'tasks:read' } })
  assert.throws(() => httpRoutes([unlimited]), /no limit/)
})

test('a deprecated method says since when, until when and what instead', () => {
  const [route] = httpRoutes([ending({})])
  assert.deepEqual(route?.deprecated, {
    sinceS: Date.UTC(2026, 7, 31) / 1000,
    sunset: Date.UTC(2027, 2, 3, 23, 59, 59),
    link: '/changelog#old',
  })
  assert.equal(httpRoutes([service({ pattern: get('/v1/a') })])[0]?.deprecated, undefined)
})

for (const [name, said, message] of [
  ['ends too soon', { sunset: '2027-03-02' }, /six months/],
  ['ends before it is deprecated', { sunset: '2026-01-01' }, /six months/],
  ['does not say since when', { since: '' }, /both days/],
  ['has no day of the calendar', { sunset: '2027-02-30' }, /both days/],
  ['has a time for a day', { since: '2026-08-31T00:00:00Z' }, /both days/],
  ['does not say what instead', { link: '' }, /without a link/],
  ['has a link that is no path and no URL', { link: 'changelog' }, /without a link/],
  ['has a link that would end its header', { link: '/a>; rel="x"' }, /without a link/],
] as const) {
  test(`a deprecation that ${name} does not start`, () => {
    assert.throws(() => httpRoutes([ending(said)]), message)
  })
}

for (const [name, init, message] of [
  ['a wildcard', { pattern: get('/v1/{id=**}') }, /can't have/],
  ['a custom verb', { pattern: get('/v1/tasks:cancel') }, /can't have/],
  ['an unknown path field', { pattern: get('/v1/{name}') }, /no string of its request/],
  ['a path field that is no string', { pattern: get('/v1/{count}') }, /no string of its request/],
  ['a path field twice', { pattern: get('/v1/{id}/{id}') }, /twice/],
  ['a relative path', { pattern: get('v1') }, /start with a slash/],
  ['a partial body', { pattern: get('/v1'), body: 'id' }, /not the whole request/],
  ['a response_body', { pattern: get('/v1'), responseBody: 'id' }, /response_body/],
  ['no method', {}, /no HTTP method/],
  [
    'the same route twice',
    { pattern: get('/v1/{id}'), additionalBindings: [rule({ pattern: get('/v1/{other}') })] },
    /same route/,
  ],
] as const) {
  test(`${name} does not start`, () => {
    assert.throws(() => httpRoutes([service(init as Partial<HttpRule>)]), message)
  })
}

function get(value: string) {
  return { case: 'get', value } as const
}

function rule(init: object): HttpRule {
  return create(HttpRuleSchema, init)
}

/** A service of one method that is deprecated. */
function ending(said: MessageInitShape<typeof DeprecationSchema>): DescService {
  // 31 August and six months is 31 February, which is 3 March.
  const usual = { since: '2026-08-31', sunset: '2027-03-03', link: '/changelog#old' }
  return service({ pattern: get('/v1/a') }, { access: whole, deprecation: { ...usual, ...said } })
}

const whole = { scope: 'tasks:read', limit: Limit.COMPUTE }

/** A service of one method with that rule and those options. */
function service(
  init: object,
  said: {
    readonly access?: MessageInitShape<typeof AccessSchema>
    readonly deprecation?: MessageInitShape<typeof DeprecationSchema>
  } = { access: whole },
): DescService {
  const options = create(MethodOptionsSchema)
  setExtension(options, http, rule(init))
  if (said.access) setExtension(options, access, create(AccessSchema, said.access))
  if (said.deprecation) setExtension(options, deprecation, create(DeprecationSchema, said.deprecation))
  const file = create(FileDescriptorProtoSchema, {
    name: 'fixture.proto',
    package: 'fixture',
    syntax: 'proto3',
    messageType: [
      {
        name: 'Request',
        field: [
          { name: 'id', number: 1, type: Type.STRING },
          { name: 'other', number: 2, type: Type.STRING },
          { name: 'count', number: 3, type: Type.UINT32 },
        ],
      },
    ],
    service: [
      {
        name: 'Fixture',
        method: [{ name: 'Do', inputType: '.fixture.Request', outputType: '.fixture.Request', options }],
      },
    ],
  })
  return createFileRegistry(file, () => undefined).getService('fixture.Fixture') as DescService
}
