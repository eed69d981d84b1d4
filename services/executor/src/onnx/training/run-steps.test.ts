import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_CHECKPOINT_BYTES, type Trainer, type TrainingProgress, TrainingRefused } from '@millhand/training'
import type { Said } from './protocol.ts'
import { runSteps } from './run-steps.ts'

const MINUTES = 60_000

/**
 * A run of steps of 100 ms, ten of them an epoch, that is never better than in its first `betterUntil` epochs. Taking a
 * checkpoint and making a model take 40 ms each, and storing either `storesMs`.
 */
async function said({ ms = MINUTES, storesMs = 60, betterUntil = 0, checkpoint = new Uint8Array(1) }) {
  let [now, step] = [0, 0]
  const takes = <T>(each: number, value: T): T => {
    now += each
    return value
  }
  const progress = (): Partial<TrainingProgress> => ({
    ...{ step, steps: ms / 100, epochs: ms / 1_000, epoch: Math.ceil(step / 10), examples: step },
    bestEpoch: Math.min(betterUntil, Math.floor(step / 10)),
    done: step === ms / 100,
  })
  const trainer = {
    progress,
    async step() {
      step += 1
      return takes(100, progress())
    },
    checkpoint: () => takes(40, checkpoint),
    finish: async () => takes(40, { model: new Uint8Array(1), card: {} }),
  } as Partial<Trainer> as Trainer
  const told: { kind: Said['kind']; at: number; epoch: number }[] = []
  const say = async ({ kind }: Said) => {
    told.push({ kind, at: now, epoch: Math.floor(step / 10) })
    if (kind !== 'progress') now += storesMs
  }
  await runSteps(trainer, { checkpointEveryMs: 5_000, saysBest: betterUntil > 0, now: () => now, say })
  return { all: told, of: (kind: Said['kind']) => told.filter(each => each.kind === kind) }
}

test('checkpoints are as far apart as was asked for, and cost at most 5 % of the time', async () => {
  const gaps = (list: readonly { readonly at: number }[]) => list.slice(1).map(({ at }, i) => at - (list[i]?.at ?? 0))
  const cheap = gaps((await said({})).of('checkpoint'))
  assert.ok(cheap.length > 5 && cheap.every(gap => gap >= 5_000 && gap < 5_400), `${cheap}`)
  const dear = gaps((await said({ ms: 4 * MINUTES, storesMs: 960 })).of('checkpoint'))
  assert.ok(dear.length > 5 && dear.every(gap => gap >= 20 * 1_000), `${dear}`)
})

test('a better model is said soon after its epoch, and no model more often than 5 % of the time pay for', async () => {
  assert.deepEqual((await said({})).of('best'), [])
  const once = (await said({ betterUntil: 1 })).of('best')
  assert.deepEqual(
    once.map(({ epoch }) => epoch),
    [1],
  )
  const often = (await said({ betterUntil: 60 })).of('best')
  assert.ok(often.length > 10, `${often.length}`)
  const apart = often.slice(1).every(({ at }, i) => at - (often[i]?.at ?? 0) >= 2_000)
  assert.ok(apart, JSON.stringify(often))
  // The latest comes once it may, though its epoch ended before.
  const late = (await said({ betterUntil: 2 })).of('best')
  assert.deepEqual(
    late.map(({ epoch }) => epoch),
    [1, 3],
  )
})

test('a checkpoint that is too large to be stored refuses the run, and says why', async () => {
  const checkpoint = new Uint8Array(MOST_CHECKPOINT_BYTES + 1)
  await assert.rejects(said({ checkpoint }), (error: unknown) => {
    assert.ok(error instanceof TrainingRefused)
    return /65 MiB, and may have 64/.test(error.message)
  })
})
