/** What checking a request may cost. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { create, type DescMessage, getOption, toJson } from '@bufbuild/protobuf'
import { FieldRulesSchema, field as rules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { maxFaults } from '@millhand/api'
import { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { CreateApiKeyRequestSchema } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { KeyUseSchema, ReportKeyUseRequestSchema } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { CreateWorkforceTaskRequestSchema } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import { violations } from './validation.ts'

const many = Array.from({ length: 100_000 }, (_, at) => `${at}`)

/** The same entries; reading one of them fails the test, asking how many there are does not. */
const unread = <Entries extends object>(entries: Entries): Entries =>
  new Proxy(entries, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) assert.fail(`entry ${key} was read`)
      return Reflect.get(target, key)
    },
  })

test('a list with too many entries is one fault, and none of its entries is looked at', () => {
  const request = create(CreateApiKeyRequestSchema, { name: 'a' })
  request.scopes = unread(many)
  assert.deepEqual(violations(CreateApiKeyRequestSchema, request), [
    { param: 'scopes', code: 'too_many', message: '`scopes` must contain no more than 32 item(s).' },
  ])
})

test('so is a map, also within another message, and what else is wrong is said as well', () => {
  const request = create(CreateTaskRequestSchema, { type: 1, model: '', input: 'x', callback: { url: 'https://a.b' } })
  request.metadata = unread(Object.fromEntries(many.map(key => [key, key])))
  if (request.callback) request.callback.events = unread(many)
  assert.deepEqual(
    violations(CreateTaskRequestSchema, request).map(({ param, code }) => [param, code]),
    [
      ['model', 'missing_parameter'],
      ['metadata', 'too_many'],
      ['callback.events', 'too_many'],
    ],
  )
  assert.equal(Object.keys(request.metadata).length, many.length, 'the request is as it was')
})

test('a text that is far too long is not given to a pattern', () => {
  const request = create(CreateWorkforceTaskRequestSchema, {
    employee: 'emma',
    task: 'x',
    language: 'a'.repeat(1_000_000),
  })
  assert.deepEqual(
    violations(CreateWorkforceTaskRequestSchema, request).filter(({ param }) => param === 'language'),
    [{ param: 'language', code: 'max_len', message: '`language` must be at most 64 characters.' }],
  )
})

test('no more faults are made than an answer shows, and one that tells of more', () => {
  const request = create(ReportKeyUseRequestSchema)
  request.uses = many.slice(0, 1_000).map(() => create(KeyUseSchema))
  assert.equal(violations(ReportKeyUseRequestSchema, request).length, maxFaults + 1)
})

describe('patterns of the contract', async () => {
  const gen = join(import.meta.dirname, '../../../api/src/gen/millhand')
  const patterns = new Set<string>()
  for (const name of globSync('**/*_pb.ts', { cwd: gen })) {
    const exported: Record<string, unknown> = await import(join(gen, name))
    for (const message of Object.values(exported).filter(isMessage))
      for (const field of message.fields)
        JSON.stringify(toJson(FieldRulesSchema, getOption(field, rules)), (key, value) => {
          if (key === 'pattern') patterns.add(value)
          return value
        })
  }

  it('are anchored, and of the form that V8 and RE2 read alike', () => {
    assert.ok(patterns.size > 10)
    for (const pattern of patterns) {
      assert.match(pattern, /^\^[\s\S]*\$$/)
      assert.doesNotMatch(
        pattern,
        /\(\?(?!:)|\\[1-9bBsSpP]/,
        'no lookaround, no reference, no class that they know differently',
      )
    }
  })

  it('are matched in a time proportional to the text', { timeout: 300_000 }, () => {
    const pieces = ['a', '0', '_', '-', '.', '/', 'a-', '; a=a', 'a.', 'acct_0/', '\\', ' ']
    for (const pattern of patterns)
      for (const piece of pieces) {
        const text = `${piece.repeat(200_000)}\0`
        runInNewContext('new RegExp(pattern, "u").test(text)', { pattern, text }, { timeout: 60_000 })
      }
  })
})

const isMessage = (value: unknown): value is DescMessage => (value as { kind?: string } | null)?.kind === 'message'
