import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, createSecretCipher } from '@millhand/api'
import {
  type ExecutorImage,
  type ExecutorReplica,
  executorEnv,
  isExecutor,
  readJoinCredential,
  requireMayJoin,
  standingOf,
} from './executors.ts'
import type { InstanceDeps } from './instance-deps.ts'
import { exited, id, Life, running, start } from './life.fixture.ts'
import { admitExecutor } from './rpc/admit-executor.ts'

const image = { image: 'acme/executor', url: 'http://10.0.0.5:8081' }
const replica: ExecutorReplica = { tenant: 'acct_1/live', instance: id, generation: 1 }
const cipher = createSecretCipher(new Uint8Array(32))
const codeThrown = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    return codeOf(error)
  }
  return 'none'
}

describe('the standing of a replica', () => {
  const table: readonly (readonly [name: string, life: Life, generation: number, standing: string])[] = [
    ['waits for capacity', new Life().observe(), 0, 'gone'],
    ['starts', new Life().observe().admit(), 1, 'active'],
    ['runs', new Life().run(), 1, 'active'],
    ['of a host that does not answer', new Life().run().observe({}, 100, { lostHosts: new Set(['a']) }), 1, 'active'],
    ['has ended and waits for its restart', new Life().run().observe({ 0: exited }), 1, 'gone'],
    ['is restarted, its generation before', restarted(), 1, 'gone'],
    ['is restarted', restarted(), 2, 'active'],
    ['has a generation that no replica has had', new Life().run(), 9, 'gone'],
    ['is scaled away', new Life(2).run().scale(1).observe({ 0: running, 1: running }), 2, 'stopping'],
    ['is not the one that is scaled away', new Life(2).run().scale(1).observe({ 0: running, 1: running }), 1, 'active'],
    ['of an instance that is deleted just now', new Life().run().delete(), 1, 'stopping'],
    ['of an instance that is ending', new Life().run().delete().observe({ 0: running }), 1, 'stopping'],
    ['of an instance that has ended', new Life().run().delete().observe({ 0: running }).observe().observe(), 1, 'gone'],
    ['of an instance that has failed', new Life().observe().admit().refuse('image_not_found').observe(), 1, 'gone'],
  ]
  for (const [name, { instance }, generation, standing] of table)
    it(`that ${name} is ${standing}`, () => assert.equal(standingOf(instance, generation), standing))

  it('of no instance is gone', () => assert.equal(standingOf(undefined, 1), 'gone'))
})

describe('a join credential', () => {
  const credential = executorEnv(cipher, image, replica).MILLHAND_JOIN_CREDENTIAL

  it('names its replica, for the deployment that has made it', () => {
    assert.deepEqual(readJoinCredential(cipher, credential), replica)
    const other = createSecretCipher(new Uint8Array(32).fill(1))
    for (const [key, text] of [
      [other, credential],
      [cipher, credential.slice('mhj_'.length)],
      [cipher, `mhj_${cipher.seal(JSON.stringify(replica), 'another purpose')}`],
      [cipher, ''],
    ] as const)
      assert.equal(
        codeThrown(() => readJoinCredential(key, text)),
        'invalid_credentials',
      )
  })

  it('may be used until 5 minutes after the start of its process', () => {
    const { instance } = new Life().observe().admit()
    requireMayJoin(instance, 1, Number.MAX_SAFE_INTEGER)
    const started = new Life().run().instance
    const startedAt = started.slots[0]?.started_at ?? Number.NaN
    requireMayJoin(started, 1, startedAt + 300_000)
    assert.equal(
      codeThrown(() => requireMayJoin(started, 1, startedAt + 300_001)),
      'expired_credentials',
    )
  })

  it('may not be used for a replica that has ended, or is to end', () => {
    for (const [instance, generation] of [
      [restarted().instance, 1],
      [new Life().run().delete().instance, 1],
      [undefined, 1],
    ] as const)
      assert.equal(
        codeThrown(() => requireMayJoin(instance, generation, 0)),
        'revoked_credentials',
      )
  })
})

it('a replica of an image that is not that of executors any more does not join', async () => {
  const { instance } = new Life(1, { image: image.image }).run()
  const admit = (executors: ExecutorImage) =>
    admitExecutor({
      instances: { get: async () => instance },
      ...{ cipher, executors, clock: { now: () => start } },
    } as unknown as InstanceDeps)({
      $typeName: 'millhand.instance.v1.AdmitExecutorRequest',
      credential: executorEnv(cipher, image, replica).MILLHAND_JOIN_CREDENTIAL,
    })
  assert.partialDeepStrictEqual((await admit(image)).replica, replica)
  await assert.rejects(admit({ ...image, image: 'acme/executor:2' }), error => codeOf(error) === 'revoked_credentials')
})

it('instances of the executor image are executors, but not in the sandbox', () => {
  assert.ok(isExecutor(image, { image: 'acme/executor', mode: 'live' }))
  assert.ok(!isExecutor(image, { image: 'acme/executor', mode: 'test' }))
  assert.ok(!isExecutor(image, { image: 'acme/executor:2', mode: 'live' }))
  assert.ok(!isExecutor(undefined, { image: 'acme/executor', mode: 'live' }))
})

function restarted(): Life {
  return new Life().run().observe({ 0: exited }, 20_000).observe({}, 600).admit().observe({ 0: running })
}
