import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { ConfigurationError } from '@millhand/process'
import { createTokenReader } from '@millhand/rpc/network'
import { serviceNames } from '../services.ts'
import { credentials } from './credentials.ts'

const env = { MILLHAND_SECRET_KEY: 'an operator of the tests, and of nothing else' }
const made = (...words: string[]) => parseEnv(credentials(words, env).lines) as Record<string, string>

test('each service is given what it needs, and none the operator’s secret', () => {
  const given = Object.fromEntries(serviceNames.map(service => [service, Object.keys(made(service)).sort()]))
  assert.deepEqual(given, {
    gateway: ['MILLHAND_SECRET_KEY', 'MILLHAND_SERVICE_TOKEN'],
    identity: ['MILLHAND_SECRET_KEY', 'MILLHAND_SERVICE_TOKEN', 'MILLHAND_TRUSTED_KEYS'],
    compute: ['MILLHAND_SECRET_KEY', 'MILLHAND_SERVICE_TOKEN', 'MILLHAND_TRUSTED_KEYS'],
    workforce: ['MILLHAND_SECRET_KEY', 'MILLHAND_SERVICE_TOKEN', 'MILLHAND_TRUSTED_KEYS'],
    executor: ['MILLHAND_SERVICE_TOKEN'],
    billing: ['MILLHAND_TRUSTED_KEYS'],
    webhook: ['MILLHAND_SECRET_KEY', 'MILLHAND_TRUSTED_KEYS'],
  })
  assert.deepEqual(Object.keys(made('operator')).sort(), ['MILLHAND_SECRET_KEY', 'MILLHAND_SERVICE_TOKEN'])
  const callers = ['gateway', 'identity', 'compute', 'workforce', 'webhook', 'operator']
  const secrets = [env, ...callers.map(service => made(service))].map(each => each.MILLHAND_SECRET_KEY)
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
  assert.ok(Math.abs(expiresAt - Date.now() - 2 * 86_400_000) < 60_000)
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
  ['billing', '--days', '1'],
  ['webhook', '--days', '1'],
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
