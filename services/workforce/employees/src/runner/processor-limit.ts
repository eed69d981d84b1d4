/** How much processor time one run of a kind may use. docs/decisions/fairness.md. */
import type { RunItem } from '@millhand/child-process'

/** In seconds: for every run, and for each MiB of its brief and files. */
export interface ProcessorLimit {
  readonly base: number
  readonly per_mib: number
}

/** Where `kind.json` has none. Examples take under 3 s, and the judged runs of all kinds under 15 s. */
export const defaultProcessorLimit: ProcessorLimit = { base: 60, per_mib: 20 }

export const processorLimitMs = ({ base, per_mib }: ProcessorLimit, item: RunItem): number =>
  Math.ceil((base + per_mib * mibOf(item)) * 1_000)

function mibOf({ input, files = [] }: RunItem): number {
  const brief = typeof input === 'string' ? Buffer.byteLength(input) : input.bytes
  return files.reduce((sum, { bytes }) => sum + bytes.length, brief) / 2 ** 20
}
