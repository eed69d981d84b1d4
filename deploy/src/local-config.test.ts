import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { createApiKey } from '@millhand/api'
import { ConfigurationError } from '@millhand/process'
import { localConfig } from './local-config.ts'

/** The same key with its last character changed. */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')

for (const [name, value] of [
  ['MILLHAND_BOOTSTRAP_KEY', mistyped(createApiKey('live'))],
  ['MILLHAND_BOOTSTRAP_KEY', createApiKey('test')],
  ['MILLHAND_BOOTSTRAP_TEST_KEY', createApiKey('live')],
  ['MILLHAND_BOOTSTRAP_TEST_KEY', 'swordfish'],
  ['MILLHAND_SECRET_KEY', 'x'.repeat(31)],
  ['MILLHAND_STRIPE_KEY', 'pk_live_51HcPublishable'],
  ['MILLHAND_STRIPE_WEBHOOK_SECRET', 'sk_live_51HcSecretKey'],
] as const) {
  test(`${name} is refused where it can't be one, and not told back: ${value.slice(0, 9)}`, () => {
    assert.throws(
      () => localConfig({ [name]: value }),
      (error: ConfigurationError) => {
        assert.ok(error instanceof ConfigurationError)
        assert.equal(error.faults.length, 1)
        assert.ok(error.faults[0]?.startsWith(`${name} must be `), error.message)
        assert.ok(!error.message.includes(value))
        return true
      },
    )
  })
}

test('keys that are right are taken as they are', () => {
  const [live, testKey] = [createApiKey('live'), createApiKey('test')]
  const config = localConfig({
    MILLHAND_BOOTSTRAP_KEY: live,
    MILLHAND_BOOTSTRAP_TEST_KEY: testKey,
    MILLHAND_SECRET_KEY: 'x'.repeat(32),
  })
  assert.deepEqual(config.bootstrap, { live, test: testKey })
  assert.equal(config.secretKey, 'x'.repeat(32))
})

test('the first account’s plans are read by family, and refused where they can’t be', () => {
  const set = (MILLHAND_BOOTSTRAP_PLANS: string) => localConfig({ MILLHAND_BOOTSTRAP_PLANS }).bootstrapPlans
  assert.deepEqual(set('compute:starter, developer:pro'), { compute: 'starter', developer: 'pro' })
  for (const wrong of ['starter', 'compute:', 'gpu:starter', 'compute:starter,compute:growth', 'compute:a:b', ',']) {
    assert.throws(() => set(wrong), /MILLHAND_BOOTSTRAP_PLANS must be plans by family/, wrong)
  }
})

test('payments are collected where a processor is chosen, with its secrets', () => {
  const keys = { MILLHAND_STRIPE_KEY: 'rk_live_51Hc', MILLHAND_STRIPE_WEBHOOK_SECRET: 'whsec_51Hc' }
  assert.equal(localConfig(keys).payment, undefined)
  assert.deepEqual(localConfig({ ...keys, MILLHAND_PAYMENT_PROCESSOR: 'stripe' }).payment, {
    key: 'rk_live_51Hc',
    webhookSecret: 'whsec_51Hc',
    url: new URL('https://api.stripe.com'),
  })
  assert.throws(
    () => localConfig({ MILLHAND_PAYMENT_PROCESSOR: 'stripe' }),
    (error: ConfigurationError) => {
      assert.deepEqual(
        error.faults.map(fault => fault.split(' ')[0]),
        Object.keys(keys),
      )
      return true
    },
  )
})

test('a terminal that calls the server can start it too: the key of the examples is known', () => {
  assert.doesNotThrow(() => localConfig({ MILLHAND_KEY: createApiKey('live') }))
})

test('rules leave a core to who answers callers, unless it is said how many tasks run at once, or a model is waited for', () => {
  const slots = (set: Record<string, string> = {}) => localConfig(set).engines.slots(1_000)
  assert.equal(slots(), Math.max(1, availableParallelism() - 1))
  assert.equal(localConfig({}).engines.slots(1), 1)
  assert.equal(slots({ MILLHAND_ENGINE_SLOTS: '60' }), 60)
  assert.equal(localConfig({}).engines.avoidsFirstCore, true)
  assert.equal(localConfig({ MILLHAND_ENGINE_SLOTS: '60' }).engines.avoidsFirstCore, false)
  assert.equal(slots({ MILLHAND_ENGINE_SLOTS: '0' }), 0)
  assert.equal(slots({ MILLHAND_LLM_URL: 'http://127.0.0.1:1/v1', MILLHAND_LLM_MODEL: 'small' }), 1_000)
  assert.equal(slots({ MILLHAND_IMAGE_URL: 'http://127.0.0.1:1/v1', MILLHAND_IMAGE_MODEL: 'small' }), 1_000)
})
