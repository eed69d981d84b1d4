/** What is said of a run: `fraction`, `message` and `metrics` of a report of progress, in the names of the API. */
import type { TrainingProgress } from './trainer.ts'

/** `begun`: where this attempt began, so long ago. */
export function reportOf(
  progress: TrainingProgress,
  begun: Pick<TrainingProgress, 'step' | 'examples'>,
  elapsedMs: number,
) {
  const { step, steps, epoch, epochs, examples, loss, learningRate, lastEpoch, done } = progress
  const seconds = elapsedMs / 1_000
  const left = done ? 0 : ((steps - step) * seconds) / Math.max(1, step - begun.step)
  const validation = Object.entries(lastEpoch?.validation ?? {}).map(([name, value]) => [`validation_${name}`, value])
  const metrics = {
    ...{ step, steps, epoch, epochs, loss, learning_rate: learningRate },
    examples_per_s: seconds > 0 ? Math.round((examples - begun.examples) / seconds) : undefined,
    time_left_s: Math.round(left * 10) / 10,
    ...Object.fromEntries(validation),
  }
  const known = Object.entries(metrics).filter((entry): entry is [string, number] => Number.isFinite(entry[1]))
  return {
    fraction: done ? 1 : step / Math.max(1, steps),
    message: `epoch ${epoch} of ${epochs}, step ${step} of ${steps}`,
    metrics: Object.fromEntries(known),
  }
}
