/**
 * The generated checks find in each message what protovalidate finds: the same faults in the same order, with the same
 * words. `TEST_ALL` makes it 100,000 random messages of those on a task's way, and 5,000 of the others.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DescMessage } from '@bufbuild/protobuf'
import { everyService } from '../network/every-service.fixture.ts'
import { expectedFaults } from './protovalidate.fixture.ts'
import { randomMessage, seededRandom } from './random-message.fixture.ts'
import { violations } from './validation.ts'

/** On the way of a task, from its key to its end. */
const hot = new Set(
  [
    'compute.v1.CreateTaskRequest',
    'compute.v1.GetTaskRequest',
    'compute.v1.WaitTaskRequest',
    'compute.v1.WatchTaskRequest',
    'identity.v1.AuthenticateKeyRequest',
    'lease.v1.ClaimRequest',
    'lease.v1.EmitRequest',
    'lease.v1.FinishRequest',
    'lease.v1.RenewRequest',
    'lease.v1.ReserveRequest',
    'workforce.v1.CreateWorkforceTaskRequest',
  ].map(name => `millhand.${name}`),
)

const seed = Number(process.env.MILLHAND_SEED ?? process.env.TEST_PART ?? Math.floor(Math.random() * 2 ** 32))
const inputs = new Set((await everyService()).flatMap(({ methods }) => methods.map(({ input }) => input)))
const countOf = ({ typeName }: DescMessage) =>
  process.env.TEST_ALL ? (hot.has(typeName) ? 100_000 : 5_000) : hot.has(typeName) ? 3_000 : 300

describe(`generated checks (MILLHAND_SEED=${seed} replays them)`, () => {
  it('are there for every message of a task', () => {
    const names = new Set([...inputs].map(({ typeName }) => typeName))
    assert.deepEqual(
      [...hot].filter(name => !names.has(name)),
      [],
    )
  })

  for (const desc of inputs) {
    it(`of ${desc.typeName} say what protovalidate says`, { timeout: 3_600_000 }, () => {
      const random = seededRandom(seed)
      const found = { valid: 0, invalid: 0 }
      for (let left = countOf(desc); left > 0; left--) {
        const message = randomMessage(desc, random, random.one([0, 0.02, 0.1, 0.5]))
        const faults = violations(desc, message)
        assert.deepEqual(faults, expectedFaults(desc, message))
        found[faults.length === 0 ? 'valid' : 'invalid']++
      }
      assert.ok(found.valid > 0, 'some messages are valid')
      if (hot.has(desc.typeName)) assert.ok(found.invalid > 0, 'some are not')
    })
  }
})
