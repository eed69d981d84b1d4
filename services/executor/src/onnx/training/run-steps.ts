/** The steps of a run to its end, with what is said of them meanwhile. */
import { reportOf, requireStorable, type Trainer } from '@millhand/training'
import type { Said } from './protocol.ts'

export interface StepsDeps {
  /** At least, between two checkpoints: more where that is less than so many times what the last one took. */
  readonly checkpointEveryMs: number
  /** Says the best model so far each time that there is a better one, no more often than costs allow. */
  readonly saysBest: boolean
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Resolves once it is taken, or stored. */
  readonly say: (said: Said, parts?: readonly Uint8Array[]) => Promise<void>
}

/** Between two reports of progress; after the last step there is one in any case. */
export const REPORT_EVERY_MS = 500
/** So that checkpoints cost at most 5 %, and best models too. It is not 20, because one may take longer than the one before it. */
const CHECKPOINT_SHARE = 25

/** Rejects as a step does, and with `TrainingRefused` for a checkpoint that is too large. */
export async function runSteps(trainer: Trainer, { checkpointEveryMs, saysBest, now, say }: StepsDeps): Promise<void> {
  const begun = { at: now(), ...trainer.progress() }
  let reportAt = begun.at
  let checkpointAt = begun.at + checkpointEveryMs
  let best = { epoch: 0, nextAt: begun.at }
  while (!trainer.progress().done) {
    const progress = await trainer.step()
    if (now() >= reportAt || progress.done) {
      await say({ kind: 'progress', ...reportOf(progress, begun, now() - begun.at) })
      reportAt = now() + REPORT_EVERY_MS
    }
    if (progress.done) continue
    if (saysBest && progress.bestEpoch > best.epoch && now() >= best.nextAt) {
      const tookMs = await timed(now, async () => {
        const { model, card } = await trainer.finish()
        await say({ kind: 'best', card: { ...card } }, [model])
      })
      best = { epoch: progress.bestEpoch, nextAt: now() + CHECKPOINT_SHARE * tookMs }
    }
    if (now() < checkpointAt) continue
    const tookMs = await timed(now, () => sayCheckpoint(trainer.checkpoint(), say))
    checkpointAt = now() + Math.max(checkpointEveryMs, CHECKPOINT_SHARE * tookMs)
  }
}

async function sayCheckpoint(bytes: Uint8Array, say: StepsDeps['say']): Promise<void> {
  requireStorable(bytes)
  await say({ kind: 'checkpoint' }, [bytes])
}

async function timed(now: () => number, work: () => Promise<void>): Promise<number> {
  const startedAt = now()
  await work()
  return now() - startedAt
}
