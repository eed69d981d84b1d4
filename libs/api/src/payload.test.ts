import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, createFileRegistry, type DescMethod } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FieldDescriptorProto_Type as Type } from '@bufbuild/protobuf/wkt'
import { ComputeService } from './gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from './gen/millhand/compute/v1/file_service_pb.ts'
import { payloadOf } from './payload.ts'
import { httpRoutes } from './routes.ts'

test('files are uploaded and downloaded as bytes; the rest of them is JSON', () => {
  const kinds = httpRoutes([FileService]).map(({ kind, method, template }) => `${method} ${template} ${kind}`)
  assert.deepEqual(kinds.sort(), [
    'DELETE /v1/files/{id} json',
    'GET /v1/files json',
    'GET /v1/files/{id} json',
    'GET /v1/files/{id}/content download',
    'POST /v1/files upload',
  ])
  const { uploadFile } = FileService.method
  const upload = payloadOf(uploadFile)
  assert.ok(upload.kind === 'upload')
  assert.equal(upload.parts.oneof, 'part')
  assert.equal(upload.parts.head.message.name, 'FileDescription')
  assert.equal(upload.parts.data.localName, 'data')
})

test('events are told by the place that each of them has', () => {
  const kinds = httpRoutes([ComputeService]).map(({ kind, method, template }) => `${method} ${template} ${kind}`)
  assert.ok(kinds.includes('GET /v1/tasks/{id}/events events'), kinds.join('\n'))
  const events = { Part: [place('sequence'), text('type')], Ask: [text('id'), place('after')] }
  assert.equal(payloadOf(method(events, 'down')).kind, 'events')
})

const place = (name: string) => ({ name, type: Type.UINT64 })
const text = (name: string) => ({ name, type: Type.STRING })
const count = (name: string) => ({ name, type: Type.UINT32 })
const message = (name: string, of: string) => ({ name, type: Type.MESSAGE, typeName: `.fixture.${of}` })
const bytes = { name: 'data', type: Type.BYTES }

const wellFormed = {
  Part: [message('head', 'Head'), bytes],
  Head: [text('filename'), text('media_type'), message('file', 'File'), count('start'), count('length')],
  File: [text('filename'), text('media_type'), text('sha256'), count('bytes')],
  Ask: [text('id'), count('start'), count('end'), count('suffix')],
}
type Messages = Record<keyof typeof wellFormed, readonly object[]>

test('an upload and a download are told by their kind and their messages', () => {
  assert.equal(payloadOf(method({}, 'up')).kind, 'upload')
  assert.equal(payloadOf(method({}, 'down')).kind, 'download')
})

for (const [name, direction, change, expected] of [
  [
    'a stream of messages without bytes',
    'up',
    { Part: [message('head', 'Head')] },
    /not a oneof of a message and bytes/,
  ],
  ['bytes without a message', 'down', { Part: [bytes] }, /not a oneof of a message and bytes/],
  ['bytes before the message', 'up', { Part: [bytes, message('head', 'Head')] }, /not a oneof of a message and bytes/],
  ['a third part', 'up', { Part: [...wellFormed.Part, text('more')] }, /not a oneof of a message and bytes/],
  ['text for bytes', 'down', { Part: [message('head', 'Head'), text('data')] }, /not a oneof of a message and bytes/],
  ['a description without a media type', 'up', { Head: [text('filename')] }, /a field media_type: STRING/],
  ['a slice without a length', 'down', { Head: wellFormed.Head.slice(0, -1) }, /a field length: UINT32/],
  ['a slice of no file', 'down', { Head: [count('start'), count('length')] }, /a slice of no file/],
  ['a file without a digest', 'down', { File: [text('filename'), text('media_type')] }, /a field sha256: STRING/],
  ['a request that takes no range', 'down', { Ask: [text('id')] }, /a field start: UINT32/],
  ['an event without a type', 'down', { Part: [place('sequence')] }, /a field type: STRING/],
  ['a place that is no whole number', 'down', { Part: [text('sequence'), text('type')] }, /a field sequence: UINT64/],
  [
    'events that are not to be gone on with',
    'down',
    { Part: [place('sequence'), text('type')] },
    /a field after: UINT64/,
  ],
  ['a stream both ways', 'both', {}, /streams both ways/],
] as const) {
  test(`${name} has no way over HTTP`, () => assert.throws(() => payloadOf(method(change, direction)), expected))
}

/** A method of that direction; `Part` is the message that it streams: an event, or all of it one oneof. */
function method(change: Partial<Messages>, direction: 'up' | 'down' | 'both'): DescMethod {
  const messages: Messages = { ...wellFormed, ...change }
  const file = create(FileDescriptorProtoSchema, {
    name: 'fixture.proto',
    package: 'fixture',
    syntax: 'proto3',
    messageType: Object.entries(messages).map(([name, fields]) => ({
      name,
      field: fields.map((field, at) => ({ ...field, number: at + 1, ...(isOneof(name, fields) && { oneofIndex: 0 }) })),
      oneofDecl: isOneof(name, fields) ? [{ name: 'part' }] : [],
    })),
    service: [
      {
        name: 'Fixture',
        method: [
          {
            name: 'Do',
            inputType: direction === 'down' ? '.fixture.Ask' : '.fixture.Part',
            outputType: direction === 'up' ? '.fixture.File' : '.fixture.Part',
            clientStreaming: direction !== 'down',
            serverStreaming: direction !== 'up',
          },
        ],
      },
    ],
  })
  const service = createFileRegistry(file, () => undefined).getService('fixture.Fixture')
  return service?.methods[0] as DescMethod
}

const isOneof = (name: string, fields: readonly object[]) =>
  name === 'Part' && !fields.some(field => 'name' in field && field.name === 'sequence')
