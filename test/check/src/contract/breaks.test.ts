import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asyncapiBreaks } from './asyncapi-breaks.ts'
import { openapiBreaks } from './openapi-breaks.ts'
import { asJson, type Json } from './schema-breaks.ts'

/** A small API: a thing is made from a request, and read. */
const api = {
  paths: {
    '/v1/things': {
      post: {
        security: [{ bearer: ['things:write'] }],
        parameters: [{ $ref: '#/components/parameters/Key' }, { name: 'of', in: 'query', schema: { type: 'string' } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Request' } } } },
        responses: {
          201: {
            headers: { Location: { schema: { type: 'string' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          400: { description: 'wrong' },
        },
      },
    },
  },
  components: {
    parameters: { Key: { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } } },
    schemas: {
      Request: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 64 },
          size: { type: 'integer', enum: [1, 2] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Request' } },
        },
      },
      Thing: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          state: { type: 'string', 'x-extensible-enum': ['new'] },
          output: { oneOf: [{ type: 'string' }, { type: 'number' }] },
          within: { $ref: '#/components/schemas/Thing' },
        },
      },
    },
  },
}

type Change = (document: typeof api) => void
// biome-ignore lint/suspicious/noExplicitAny: a change takes away what the type says is there
const anyOf = (part: unknown): any => part

const post = (document: typeof api) => anyOf(document.paths['/v1/things'].post)
const request = (document: typeof api) => anyOf(document.components.schemas.Request)
const thing = (document: typeof api) => anyOf(document.components.schemas.Thing)
const body = 'POST /v1/things, body application/json'
const answer = 'POST /v1/things, 201 application/json'

const broken: readonly (readonly [what: string, change: Change, fault: string])[] = [
  [
    'a path',
    document => {
      anyOf(document.paths)['/v1/items'] = document.paths['/v1/things']
      delete anyOf(document.paths)['/v1/things']
    },
    'POST /v1/things: is gone',
  ],
  ['a method', document => delete anyOf(document.paths['/v1/things']).post, 'POST /v1/things: is gone'],
  [
    'another scope',
    document => Object.assign(post(document), { security: [{ bearer: ['*'] }] }),
    'POST /v1/things: needs another scope',
  ],
  ['a status', document => delete post(document).responses[400], 'POST /v1/things, 400: is gone'],
  [
    'a header of an answer',
    document => delete post(document).responses[201].headers.Location,
    'POST /v1/things, 201, header Location: is gone',
  ],
  ['an answer’s body', document => delete post(document).responses[201].content, `${answer}: is gone`],
  ['a parameter', document => post(document).parameters.pop(), 'POST /v1/things, query of: is gone'],
  [
    'a parameter that is needed',
    document => post(document).parameters.push({ name: 'to', in: 'query', required: true }),
    'POST /v1/things, query to: is needed now',
  ],
  [
    'a parameter’s bound, by reference',
    document => Object.assign(document.components.parameters.Key.schema, { maxLength: 64 }),
    'POST /v1/things, header Idempotency-Key: a narrower `maxLength`',
  ],
  [
    'a body that is needed',
    document => Object.assign(post(document).requestBody, { required: true }),
    'POST /v1/things: a body is needed now',
  ],
  ['a field that is sent', document => delete request(document).properties.size, `${body}.size: is gone`],
  ['a field that is needed', document => request(document).required.push('size'), `${body}.size: is needed now`],
  [
    'the type of a field that is sent',
    document => Object.assign(request(document).properties.name, { type: 'number' }),
    `${body}.name: another \`type\``,
  ],
  [
    'a bound of a field that is sent',
    document => Object.assign(request(document).properties.name, { minLength: 2 }),
    `${body}.name: a narrower \`minLength\``,
  ],
  ['a value', document => request(document).properties.size.enum.pop(), `${body}.size: the value 2 is gone`],
  [
    'only some values',
    document => Object.assign(request(document).properties.name, { enum: ['a'] }),
    `${body}.name: only some values are left`,
  ],
  ['a field of an answer', document => delete thing(document).properties.labels, `${answer}.labels: is gone`],
  ['a field that was always there', document => thing(document).required.pop(), `${answer}.id: may be absent now`],
  [
    'the type of a field of an answer',
    document => Object.assign(thing(document).properties.id, { type: 'number' }),
    `${answer}.id: another \`type\``,
  ],
  [
    'the type of a map’s values',
    document => Object.assign(thing(document).properties.labels.additionalProperties, { type: 'number' }),
    `${answer}.labels.additionalProperties: another \`type\``,
  ],
  [
    'one form more of an answer',
    document => thing(document).properties.output.oneOf.push({ type: 'object' }),
    `${answer}.output: another \`oneOf\``,
  ],
]

for (const [what, change, fault] of broken) {
  test(`it is told when a later document has changed: ${what}`, () => {
    const now = structuredClone(api)
    change(now)
    assert.deepEqual(openapiBreaks(api, now), [fault])
  })
}

test('what is added breaks nothing', () => {
  const now = structuredClone(api)
  anyOf(now.paths)['/v1/others'] = { get: {} }
  post(now).responses[409] = {}
  post(now).parameters.push({ name: 'to', in: 'query' })
  request(now).properties.more = { type: 'string' }
  request(now).properties.size.enum.push(3)
  request(now).properties.name.maxLength = 128
  request(now).required = []
  thing(now).properties.more = { type: 'string' }
  thing(now).required.push('state')
  thing(now).properties.state['x-extensible-enum'].push('old')
  assert.deepEqual(openapiBreaks(api, now), [])
})

test('of events a topic, a type, and a field that is gone or another are told', () => {
  const events = {
    channels: {
      tasks: { address: 'millhand.tasks.v1', messages: { 'task.queued': { $ref: '#/components/messages/queued' } } },
      files: { address: 'millhand.files.v1' },
    },
    components: {
      messages: { queued: { headers: {}, payload: { type: 'object', properties: { id: { type: 'string' } } } } },
    },
  }
  const changed = (change: (document: typeof events) => void): Json => {
    const now = structuredClone(events)
    change(now)
    return asJson(now)
  }
  const { queued } = events.components.messages
  const faults: readonly (readonly [Json, string[]])[] = [
    [changed(() => {}), []],
    [changed(({ channels }) => delete anyOf(channels).files), ['millhand.files.v1: is gone']],
    [
      changed(({ channels }) => delete anyOf(channels.tasks.messages)['task.queued']),
      ['millhand.tasks.v1, task.queued: is gone'],
    ],
    [
      changed(({ components }) =>
        Object.assign(components.messages.queued, { payload: { ...queued.payload, properties: {} } }),
      ),
      ['millhand.tasks.v1, task.queued, payload.id: is gone'],
    ],
  ]
  for (const [now, found] of faults) assert.deepEqual(asyncapiBreaks(events, now), found)
})
