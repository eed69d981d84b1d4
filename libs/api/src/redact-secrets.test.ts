import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey, createConsumerSecret } from './api-key.ts'
import { fail, failFaults, problemOf } from './errors.ts'
import { withoutSecrets } from './redact-secrets.ts'

for (const secret of [
  createApiKey('live'),
  createApiKey('test'),
  createConsumerSecret(),
  'mh_live_aTypoOfAKey',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/==',
  'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dR',
  'sk_live_51Hc3fGhJkLmNoPqRsTuVwXyZ',
  'rk_test_51Hc3fGhJkLmNoPqRsTuVwXyZ',
  'mhs_eyJzZXJ2aWNlIjoiZ2F0ZXdheSJ9.c2lnbmF0dXJl-_',
  'mht_c2VhbGVkLXRva2Vu_-',
]) {
  test(`${secret.slice(0, 9)}… is made unreadable wherever it stands`, () => {
    for (const text of [secret, `a ${secret} b`, `{"x":"${secret}"}`, `a${secret}`, `${secret}\n${secret}`]) {
      const left = withoutSecrets(text)
      assert.ok(!left.includes(secret.slice(10, 18)), left)
      assert.match(left, /\[redacted\]/)
    }
  })

  test(`no problem says ${secret.slice(0, 9)}…`, () => {
    const fault = { param: `a.${secret}`, code: 'unknown_parameter', message: `\`${secret}\` is not known.` }
    for (const error of [
      fail('not_found', `There is no ${secret}.`),
      fail('invalid_parameter', `Not ${secret}.`, { param: secret }),
      failFaults([fault]),
    ]) {
      const told = JSON.stringify([problemOf(error, 'req_1'), error.message])
      assert.ok(!told.includes(secret.slice(10, 18)), told)
    }
  })
}

test('what only talks of keys stays', () => {
  for (const text of ['mh_live_', 'mh_live_3fGh', 'mh_test_…', 'whsec_', 'it says mhs_ here', 'an ordinary text']) {
    assert.equal(withoutSecrets(text), text)
  }
})
