/** What may be asked of a model that generates text. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { generationFaults, readGeneration } from './generation.ts'
import { readMessages } from './messages.ts'
import { responseSchemaFault } from './response-schema.ts'
import { InputInvalid } from './tensors.ts'

const text = { type: 'string', maxLength: 10 }

it('parameters are as the page says, and what is left out has its default', () => {
  const asked = { max_tokens: 5, temperature: 0, top_p: 1, seed: 4_294_967_294, stop: 'x', response_schema: text }
  assert.deepEqual(generationFaults({ ...asked, provider: 'cpu' }), [])
  assert.deepEqual(readGeneration(asked), {
    ...{ maxTokens: 5, temperature: 0, topP: 1, seed: 4_294_967_294, stop: ['x'] },
    responseSchema: text,
  })
  const { maxTokens, temperature, topP, seed, stop, responseSchema } = readGeneration()
  assert.deepEqual([maxTokens, temperature, topP, seed, stop, responseSchema], [512, 0.7, 0.95, 0, [], undefined])
})

for (const [name, values] of Object.entries({
  max_tokens: [0, 1.5, '5', 100_001, null],
  temperature: [-0.1, 2.1, Number.NaN, '1', null],
  top_p: [0, 1.1, null],
  seed: [-1, 0.5, 4_294_967_295, null],
  stop: ['', [], ['a', ''], 'x'.repeat(65), ['a', 'b', 'c', 'd', 'e'], [1], '\ud800', null],
  response_schema: [null, [], 'x', {}, { type: 'thing' }],
}))
  it(`a value of \`${name}\` that can't be is refused by its name`, () => {
    for (const value of values) {
      const [fault, ...more] = generationFaults({ [name]: value })
      assert.equal(fault?.param, `parameters.${name}`, JSON.stringify(value))
      assert.ok(fault?.message.startsWith(`\`parameters.${name}\` must`), fault?.message)
      assert.deepEqual(more, [])
    }
  })

it('names what it does not know, unless another reads it', () => {
  assert.deepEqual(
    generationFaults({ max_token: 1, chunks: 1 }, ['chunks']).map(({ param, code }) => [param, code]),
    [['parameters.max_token', 'unknown']],
  )
})

it('a schema is taken where a grammar can say all of it', () => {
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A reading',
    type: 'object',
    properties: {
      mood: { enum: ['good', 1, true, null] },
      version: { const: 2 },
      words: { type: 'array', items: text, minItems: 1, maxItems: 5, description: 'Some words.' },
      inner: { type: 'object', properties: { n: { type: 'integer' }, no: { type: 'null' } } },
    },
    required: ['mood'],
    additionalProperties: false,
  }
  assert.equal(responseSchemaFault(whole), undefined)
  for (const [schema, says] of [
    [{ anyOf: [text] }, /keyword `anyOf`/],
    [{ type: 'string', pattern: '^a$' }, /keyword `pattern`/],
    [{ type: 'number', minimum: 0 }, /keyword `minimum`/],
    [{ type: ['string', 'null'] }, /must have a `type`/],
    [{ type: 'object' }, /must have 1 to 64 `properties`/],
    [{ type: 'object', properties: { a: { type: 'x' } } }, /`type` .* at `.properties.a`/],
    [{ type: 'object', properties: { a: text }, required: ['b'] }, /must name properties/],
    [{ type: 'object', properties: { a: text }, additionalProperties: true }, /additionalProperties/],
    [{ type: 'array' }, /must be an object.* at `.items`/],
    [{ type: 'array', items: text, maxItems: 101 }, /`maxItems`/],
    [{ type: 'array', items: text, minItems: 2, maxItems: 1 }, /in this order/],
    [{ type: 'string', maxLength: 1_001 }, /`maxLength`/],
    [{ enum: [] }, /`enum`/],
    [{ enum: [{}] }, /`enum`/],
    [{ const: [] }, /`const`/],
    [{ type: 'array', items: { type: 'array', items: { ...text, maxLength: 1_000 } } }, /more than a grammar holds/],
    [{ enum: ['a'.repeat(10_000), 'b'.repeat(10_000)] }, /at most 20000 characters/],
    [{ type: 'object', properties: { ['a'.repeat(20_000)]: text } }, /at most 20000 characters/],
    [{ type: 'object', properties: { 'a\0': text } }, /no control characters/],
    [{ const: '\x01' }, /no control characters/],
    [{ enum: ['\ud800'] }, /no control characters/],
  ] as const)
    assert.match(responseSchemaFault(schema) ?? '', says, JSON.stringify(schema))
  let deep: object = { type: 'null' }
  for (let level = 0; level < 8; level++) deep = { type: 'array', items: deep, maxItems: 1 }
  assert.match(responseSchemaFault(deep) ?? '', /at most 8 levels/)
})

it('a conversation is a list of messages, the last of them the user’s', () => {
  const system = { role: 'system', content: 'Be short.' }
  const [user, assistant] = [
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', content: 'Hello.' },
  ]
  for (const messages of [[user], [system, user], [user, assistant, user]])
    assert.deepEqual(readMessages(JSON.stringify(messages)), messages)
  for (const messages of [
    ...[[], {}, 'Hi.', null, [null], [system], [user, assistant], [user, system, user]],
    ...[[{ role: 'tool', content: 'x' }], [{ role: 'user' }], [{ ...user, content: '' }], [{ ...user, name: 'x' }]],
    Array(257).fill(user),
  ])
    assert.throws(() => readMessages(JSON.stringify(messages)), InputInvalid, JSON.stringify(messages))
  assert.throws(() => readMessages('Hi.'), InputInvalid)
})
