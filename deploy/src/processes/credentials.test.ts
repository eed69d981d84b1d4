import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { ConfigurationError } from '@millhand/process'
import { createTokenReader } from '@millhand/rpc/network'
import { type CallerName, callers, grantOf, isCalled } from '../services.ts'
import { credentials } from './credentials.ts'

const env = { MILLHAND_SECRET_KEY: 'an operator of the tests, and of nothing else' }
const made = (...words: string[]) => parseEnv(credentials(words, env).lines) as Record<string, string>

test('each caller is given what the table says, and none the operator’s secret', () => {
  const names = Object.keys(callers) as CallerName[]
  for (const name of names) {
    const { calls, secret } = grantOf(name)
    const expected = [
      ...(secret ? ['MILLHAND_SECRET_KEY'] : []),
      ...(calls.length > 0 ? ['MILLHAND_SERVICE_TOKEN'] : []),
      ...(isCalled(name) ? ['MILLHAND_TRUSTED_KEYS'] : []),
    ]
    assert.deepEqual(Object.keys(made(name)).sort(), expected, name)
  }
  const secrets = [env, ...names.map(name => made(name))].flatMap(each => each.MILLHAND_SECRET_KEY ?? [])
  assert.equal(secrets.length, 1 + names.filter(name => grantOf(name).secret).length)
  assert.equal(new Set(secrets).size, secrets.length)
})

test('the same secret makes the same credentials, another one others', () => {
  assert.deepEqual(made('compute'), made('compute'))
  const other = credentials(['compute'], { MILLHAND_SECRET_KEY: 'another operator, of another deployment' }).lines
  for (const value of Object.values(made('compute'))) assert.ok(!other.includes(value))
})

test('a token ends where days are given, and says when', () => {
  const read = createTokenReader([made('identity').MILLHAND_TRUSTED_KEYS as string])
  assert.equal(read(made('executor').MILLHAND_SERVICE_TOKEN as string)?.expiresAt, undefined)
  const { lines, note } = credentials(['executor', '--days', '2'], env)
  const { expiresAt = 0 } = read(parseEnv(lines).MILLHAND_SERVICE_TOKEN as string) ?? {}
  assert.ok(Math.abs(expiresAt - Date.now() - 2 * 86_400_000) < 3_600_000)
  assert.equal(note, `The token ends at ${new Date(expiresAt).toISOString()}.`)
})

for (const words of [
  [],
  ['all'],
  ['gateway', '--days'],
  ['gateway', '--days', '0'],
  ['gateway', '--days', '1.5'],
  ['gateway', '--days', '3651'],
  ['gateway', '--days', '1', 'more'],
  ['gateway', '--hours', '1'],
]) {
  test(`there are no credentials for “${words.join(' ')}”`, () => {
    assert.throws(() => credentials(words, env), ConfigurationError)
  })
}

test('there are no credentials without a good secret', () => {
  for (const bad of [{}, { MILLHAND_SECRET_KEY: 'short' }]) {
    assert.throws(() => credentials(['gateway'], bad), /MILLHAND_SECRET_KEY/)
  }
})
