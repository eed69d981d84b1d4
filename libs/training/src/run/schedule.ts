/** The learning rate of each step. */
import type { TrainingParameters } from './training-parameters.ts'

/**
 * Steps are counted from 1. After the warm-up, which rises in equal parts, cosine is Loshchilov and Hutter, SGDR (2016),
 * equation 5, without restarts; linear falls in equal parts. Both would be 0 one step after the last.
 */
export function learningRateAt(
  { learning_rate: rate, schedule, warmup_steps: warmup }: TrainingParameters,
  { step, steps }: { readonly step: number; readonly steps: number },
): number {
  if (step <= warmup) return (rate * step) / warmup
  const done = (step - 1 - warmup) / (steps - warmup)
  switch (schedule) {
    case 'constant':
      return rate
    case 'cosine':
      return (rate * (1 + Math.cos(Math.PI * done))) / 2
    case 'linear':
      return rate * (1 - done)
  }
}
