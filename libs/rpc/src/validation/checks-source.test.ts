/** What the generator makes code of, and what it refuses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  create,
  createFileRegistry,
  type DescService,
  type MessageInitShape,
  setExtension,
  type UnknownField,
} from '@bufbuild/protobuf'
import {
  type FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import { FieldRulesSchema, Ignore, field as rulesOption } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { checksSource } from './checks-source.ts'

type Rules = MessageInitShape<typeof FieldRulesSchema>

describe('the source of checks', () => {
  it('has a function for a message with rules, and nothing for one without', () => {
    const source = checksSource([serviceOf(Type.STRING, { required: true })])
    assert.match(
      source,
      /function testRequest\(m: [\w.]+Request, .*\n {2}if \(m\.it === ''\) add\(broken, 'it', 'missing_parameter'/,
    )
    assert.match(checksSource([serviceOf(Type.STRING)]), /\['millhand\.test\.v1\.Request', nothing\]/)
  })

  it('matches patterns with literals, and escapes what it says of them', () => {
    const pattern = "^[a/'`\\\\]+$"
    const source = checksSource([serviceOf(Type.STRING, { type: { case: 'string', value: { pattern } } })])
    assert.match(source, /const pattern1 = \/\^\[a.+\]\+\$\/u\n/)
    const [, literal = ''] = /const pattern1 = \/(.+)\/u\n/.exec(source) ?? []
    assert.ok(new RegExp(literal, 'u').test("a/'`\\"))
  })

  for (const [name, rules] of Object.entries({
    'a format of texts': { type: { case: 'string', value: { wellKnown: { case: 'email', value: true } } } },
    'a prefix': { type: { case: 'string', value: { prefix: 'a' } } },
    'an expression': { cel: [{ id: 'a', expression: 'true' }] },
    'a condition': { ignore: Ignore.IF_ZERO_VALUE, required: true },
    'a kind of another type': { type: { case: 'bool', value: { const: true } } },
  } satisfies Record<string, Rules>)) {
    it(`is refused for ${name}, so that no rule is left out`, () => {
      assert.throws(() => checksSource([serviceOf(Type.STRING, rules as Rules)]), /no code for/)
    })
  }

  it('is refused for a rule that is not known', () => {
    const unknown = { no: 1_200, wireType: 0, data: new Uint8Array([1]) }
    assert.throws(() => checksSource([serviceOf(Type.STRING, {}, unknown)]), /no code for an unknown rule/)
  })

  it('is refused for rules of well-known messages', () => {
    const rules: Rules = { type: { case: 'timestamp', value: { lessThan: { case: 'ltNow', value: true } } } }
    assert.throws(() => checksSource([serviceOf(Type.MESSAGE, rules)]), /no code for/)
  })
})

/** A service whose one request has a field `it`, with these rules where there are any. */
function serviceOf(type: FieldDescriptorProto_Type, rules?: Rules, unknown?: UnknownField): DescService {
  const options = create(FieldOptionsSchema)
  if (rules) {
    const value = create(FieldRulesSchema, rules)
    if (unknown) value.$unknown = [unknown]
    setExtension(options, rulesOption, value)
  }
  const typeName = type === Type.MESSAGE ? '.millhand.test.v1.Other' : ''
  const field = create(FieldDescriptorProtoSchema, {
    name: 'it',
    number: 1,
    type,
    label: Label.OPTIONAL,
    typeName,
    options,
  })
  const file = create(FileDescriptorProtoSchema, {
    name: 'millhand/test/v1/test.proto',
    package: 'millhand.test.v1',
    syntax: 'proto3',
    messageType: [{ name: 'Request', field: [field] }, { name: 'Other' }],
    service: [
      {
        name: 'TestService',
        method: [{ name: 'Do', inputType: '.millhand.test.v1.Request', outputType: '.millhand.test.v1.Other' }],
      },
    ],
  })
  const service = createFileRegistry(file, () => undefined).getService('millhand.test.v1.TestService')
  assert.ok(service)
  return service
}
