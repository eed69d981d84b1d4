import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { fail } from '@millhand/api'
import type { Lease, Run } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import { systemClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { holdLease } from './lease.ts'
import { copiedModels } from './leased-models.ts'

const content = Buffer.from('a model')
const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
const ttl = { $typeName: 'google.protobuf.Duration', seconds: 10n, nanos: 0 } as const

const runOf = (...ids: string[]): Run => ({
  $typeName: 'millhand.lease.v1.Run',
  group: 'model_a',
  model: { $typeName: 'millhand.lease.v1.LeasedModel', digest, bytes: content.length, manifest: '{}' } as never,
  leases: ids.map(
    (id): Lease => ({
      $typeName: 'millhand.lease.v1.Lease',
      ...{ id, tenant: 'acct_a/live', workId: `task_${id}`, attempt: 1, input: '', files: [], ttl },
    }),
  ),
})
const heldOf = ({ leases }: Run) => leases.map(lease => holdLease(lease, 0))
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Models that are read when the test lets them be, and how many readings there were. */
function given(outcome: () => Promise<unknown>) {
  const reads: { readonly lease: string; readonly signal: AbortSignal }[] = []
  const leases = {
    async *readModel({ run }: { run: { leaseId: string } }, { signal }: { signal: AbortSignal }) {
      reads.push({ lease: run.leaseId, signal })
      const ended = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      )
      await Promise.race([outcome(), ended])
      yield { $typeName: 'millhand.lease.v1.ReadModelResponse', data: content } as const
    },
  }
  const log = createLog({ level: 'error' })
  const models = copiedModels({ leases: leases as never, mostBytes: 1_000, clock: systemClock, log })
  return { models, reads }
}

describe('models that come with runs', () => {
  it('are read once for all that want them at once, until the last has gone', async () => {
    const { models, reads } = given(() => new Promise(() => {}))
    const [first, second] = [runOf('a'), runOf('b')]
    const [one, other] = [new AbortController(), new AbortController()]
    const holds = [models.hold(first, heldOf(first))(one.signal), models.hold(second, heldOf(second))(other.signal)]
    const killed = holds.map(hold => assert.rejects(hold, (error: RunnerGone) => error.reason === 'killed'))
    while (reads.length === 0) await turn()
    one.abort()
    await killed[0]
    assert.deepEqual(
      reads.map(({ lease, signal }) => [lease, signal.aborted]),
      [['a', false]],
    )
    other.abort()
    await killed[1]
    assert.equal(reads[0]?.signal.aborted, true)
    assert.equal(reads.length, 1)
    models.close()
  })

  it('are read by another run where the lease of the one that began has ended', async () => {
    const ended = Promise.withResolvers<void>()
    const { models, reads } = given(async () => {
      if (reads.length === 1) await ended.promise
    })
    const [first, second] = [runOf('a'), runOf('b')]
    const [held, others] = [heldOf(first), heldOf(second)]
    const gone = assert.rejects(models.hold(first, held)(new AbortController().signal), RunnerGone)
    const hold = models.hold(second, others)(new AbortController().signal)
    while (reads.length === 0) await turn()
    ended.reject(fail('conflict', 'The lease is not the live one.'))
    await gone
    ;(await hold)()
    assert.deepEqual([held[0]?.stop, others[0]?.stop], ['lost', undefined])
    models.close()
  })

  it('that this machine can’t keep, or that are gone, end the run with an error', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    const broken = given(() => Promise.reject(full))
    const run = runOf('a')
    const held = heldOf(run)
    await assert.rejects(
      broken.models.hold(run, held)(new AbortController().signal),
      (error: RunnerGone) => error.reason === 'not_started' && error.cause === full,
    )
    assert.equal(held[0]?.stop, undefined)
    broken.models.close()
    const { models } = given(() => Promise.reject(fail('not_found', 'gone')))
    await assert.rejects(models.hold(run, heldOf(run))(new AbortController().signal), LoadFailed)
    models.close()
  })
})
