import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { create, type DescField, type DescMessage, setExtension } from '@bufbuild/protobuf'
import { FieldOptionsSchema } from '@bufbuild/protobuf/wkt'
import { FieldRulesSchema, field as rules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { httpRoutes, problems } from '@millhand/api'
import { TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { createSchemas, protoComments, type Schema } from '@millhand/api/schema'
import { Validator } from '@seriousme/openapi-schema-validator'
import { publicServices } from '../public-services.ts'
import { openapiDocument } from './document.ts'

const comments = protoComments()
// biome-ignore lint/suspicious/noExplicitAny: a document is read here as its readers do, by path.
const document: any = openapiDocument(publicServices, comments)

test('the golden file is what the contract says', () => {
  const golden = readFileSync(new URL('../../openapi.golden.json', import.meta.url), 'utf8')
  assert.equal(golden, `${JSON.stringify(document, null, 2)}\n`, 'run pnpm generate, and read the diff')
})

test('it is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document))
  assert.ok(valid, JSON.stringify(errors))
  assert.equal(validator.version, '3.1')
})

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]*)"/g)].map(([, path]) => path as string)
  assert.ok(references.length > 0)
  for (const path of references) {
    const target = path
      .split('/')
      .slice(1)
      .reduce((value, name) => value?.[name], document)
    assert.notEqual(target, undefined, path)
  }
})

test('every route is an operation of its own', () => {
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(Object.values)
  const ids = operations.map(({ operationId }) => operationId)
  assert.equal(ids.length, httpRoutes(publicServices).length)
  assert.equal(new Set(ids).size, ids.length)
})

test('everything is described', () => {
  for (const [name, schema] of Object.entries<Schema>(document.components.schemas)) {
    assert.ok(schema.description, name)
    for (const [field, property] of Object.entries(schema.properties as Record<string, Schema>)) {
      assert.ok(property.description, `${name}.${field}`)
    }
  }
})

test('requests are closed and hold to the rules; null is allowed where a field is', () => {
  const { properties, required, oneOf, additionalProperties } = document.components.schemas.CreateTaskRequest
  assert.equal(additionalProperties, false)
  assert.deepEqual(required, ['type', 'model'])
  assert.deepEqual(oneOf, [{ required: ['input'] }, { required: ['input_file'] }])
  assert.equal(properties.input_file.type, 'string')
  assert.equal(properties.model.maxLength, 128)
  assert.equal(properties.input.minLength, 1)
  assert.match(properties.input.description, /At most 524,288 bytes in UTF-8\./)
  assert.deepEqual(properties.type.enum, ['inference', 'training', 'batch', 'custom'])
  assert.deepEqual(properties.priority.enum, ['low', 'normal', 'high', null])
  assert.deepEqual(properties.run_timeout_s.type, ['integer', 'null'])
  assert.deepEqual([properties.run_timeout_s.minimum, properties.run_timeout_s.maximum], [1, 86_400])
  assert.deepEqual(properties.metadata.propertyNames, { minLength: 1, maxLength: 64 })
  assert.deepEqual(properties.metadata.additionalProperties, { type: 'string', maxLength: 512 })
  assert.equal(properties.metadata.maxProperties, 16)
})

test('answers are open', () => {
  const { properties, required, additionalProperties } = document.components.schemas.Task
  assert.equal(additionalProperties, undefined)
  assert.equal(properties.status.enum, undefined)
  assert.ok(properties.status['x-extensible-enum'].includes('queued'))
  assert.deepEqual(properties.object.const, 'task')
  assert.ok(required.includes('object') && required.includes('metadata') && !required.includes('output'))
  assert.equal(properties.output.type, undefined, 'any JSON value')
  assert.equal(properties.created_at.format, 'date-time')
})

test('what is created links to what can be done with it', () => {
  const created = document.paths['/v1/tasks'].post.responses['201']
  assert.deepEqual(created.links.GetTask, { operationId: 'GetTask', parameters: { id: '$response.body#/id' } })
  assert.deepEqual(created.links.CancelTask, { operationId: 'CancelTask', parameters: { id: '$response.body#/id' } })
  assert.ok(created.headers.Location)
})

test('an upload is bytes or a form, described by the query or by fields', () => {
  const { parameters, requestBody, responses } = document.paths['/v1/files'].post
  const inQuery = parameters.filter((parameter: Schema) => parameter.in === 'query')
  const names = ['filename', 'purpose', 'media_type', 'expires_after_s', 'metadata']
  assert.deepEqual(
    inQuery.map(({ name }: Schema) => name),
    names,
  )
  assert.equal(requestBody.content['application/octet-stream'].schema.format, 'binary')
  const { schema } = requestBody.content['multipart/form-data']
  assert.deepEqual(Object.keys(schema.properties), [...names.slice(0, 4), 'file'])
  assert.deepEqual(Object.keys(schema.patternProperties), ['^metadata\\[.{1,64}\\]$'])
  assert.deepEqual(schema.required, ['file'])
  assert.deepEqual(schema.properties.purpose.enum, ['input', 'model', 'dataset'])
  assert.deepEqual(Object.keys(responses['201'].links), ['GetFile', 'GetFileContent', 'DeleteFile'])
})

test('a download takes ranges by their header alone', () => {
  const { parameters, responses } = document.paths['/v1/files/{id}/content'].get
  const names = parameters.map(({ name, $ref }: Schema) => name ?? String($ref).split('/').at(-1))
  assert.deepEqual(names, ['id', 'X-Request-Id', 'If-None-Match', 'Range', 'If-Range', 'If-Match'])
  for (const status of ['200', '206']) assert.equal(responses[status].content['*/*'].schema.format, 'binary')
  assert.ok(responses['206'].headers['Content-Range'])
  assert.equal(responses['200'].headers['Content-Range'], undefined)
})

test('a stream of events can be gone on with, and opened with a token; it is what a create can be answered with', () => {
  const { parameters, responses, security } = document.paths['/v1/tasks/{id}/events'].get
  const names = parameters.map(({ name, $ref }: Schema) => name ?? String($ref).split('/').at(-1))
  assert.deepEqual(names, ['id', 'after', 'X-Request-Id', 'Last-Event-ID'])
  const { schema } = responses['200'].content['text/event-stream']
  const told = ['TaskEvent', 'WorkforceTaskEvent'].map(name => ({ $ref: `#/components/schemas/${name}` }))
  const problem = { $ref: '#/components/schemas/Problem' }
  assert.deepEqual(schema.properties.data.contentSchema.anyOf, [{ anyOf: told }, problem])
  assert.equal(responses['204'].content, undefined)
  assert.deepEqual(security, [{ bearer: ['tasks:read'] }, { stream_token: [] }])
  assert.equal(document.components.securitySchemes.stream_token.in, 'query')
  assert.deepEqual(document.paths['/v1/tasks'].post.responses['201'].content['text/event-stream'].schema, schema)
})

test('each operation lists the errors that it can answer with, and no other', () => {
  const statuses = (path: string, method: string) => Object.keys(document.paths[path][method].responses).join(' ')
  assert.equal(statuses('/v1/tasks', 'post'), '201 400 401 403 408 409 413 415 422 429 431 500 501 503 504')
  assert.equal(statuses('/v1/tasks', 'get'), '200 400 401 403 408 429 431 500 503 504')
  assert.equal(statuses('/v1/tasks/{id}', 'get'), '200 304 400 401 403 404 408 429 431 500 503 504')
  assert.equal(statuses('/v1/tasks/{id}', 'delete'), '200 400 401 403 404 408 409 429 431 500 503 504')
  assert.equal(statuses('/v1/files', 'post'), '201 400 401 403 408 409 413 415 422 429 431 500 503 504')
  const events = '200 204 400 401 403 404 408 429 431 500 503 504'
  assert.equal(statuses('/v1/tasks/{id}/events', 'get'), events)
  const token = '201 400 401 403 404 408 409 422 429 431 500 503 504'
  assert.equal(statuses('/v1/tasks/{id}/stream_token', 'post'), token)
  const content = '200 206 304 400 401 403 404 408 412 416 429 431 500 503 504'
  assert.equal(statuses('/v1/files/{id}/content', 'get'), content)
  const { responses } = document.components
  assert.ok(responses.Problem416.headers['Content-Range'])
  assert.ok(responses.Problem429.headers['Retry-After'])
  assert.ok(responses.Problem401.headers['WWW-Authenticate'])
  for (const [code, { status }] of Object.entries(problems)) {
    const response = responses[`Problem${status}`]
    if (!response) continue
    assert.ok(response.description.includes(`\`${code}\``), code)
    for (const name of ['traceparent', 'tracestate'])
      assert.equal(response.headers[name].$ref, `#/components/headers/${name}`)
  }
  assert.equal(responses.Problem431.headers.traceparent, undefined, 'nobody has looked for a trace there')
})

test('a rule that the document could not state stops the generator', () => {
  const [model] = CreateTaskRequestSchema.fields.filter(({ name }) => name === 'model')
  assert.ok(model)
  assert.doesNotThrow(() => createSchemas(comments).field(model, 'request'))
  assert.throws(() => createSchemas(comments).field(withRule(model), 'request'), /no keyword for buf.validate/)
})

test('two messages of one name stop the generator', () => {
  const schemas = createSchemas(comments)
  schemas.message(TaskSchema, 'answer')
  const other = { ...TaskSchema, name: 'Task', typeName: 'other.v1.Task' } as DescMessage
  assert.throws(() => schemas.message(other, 'answer'), /two schemas have the name Task/)
})

/** The field with a rule of which JSON Schema knows nothing. */
function withRule(field: DescField): DescField {
  const options = create(FieldOptionsSchema)
  const value = create(FieldRulesSchema, { type: { case: 'string', value: { notContains: 'x' } } })
  setExtension(options, rules, value)
  return { ...field, proto: { ...field.proto, options } } as DescField
}
