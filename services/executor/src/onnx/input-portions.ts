/** Inputs of a run in portions, each one message to the child. */
import type { RunItem } from '@millhand/child-process'
import { inBatches } from '../message-batches.ts'

/**
 * Writing a message blocks the sender's event loop, and the child holds it twice while it reads: measured 5 ms for
 * 4 MiB, 20-40 ms for 16 MiB, 0.2-0.4 s for 64 MiB.
 */
export const PORTION_CHARACTERS = 4 * 2 ** 20

/** Of many short items the process runs some while the next are sent and those before are read. */
export const MOST_ITEMS = 512

/** In order, each as long as it may be; an item larger than a portion is one of its own. */
export const portions = (items: readonly RunItem[]): RunItem[][] =>
  inBatches(items, { size: PORTION_CHARACTERS, sizeOf: item => Math.max(charactersOf(item), LEAST_CHARACTERS) })

const LEAST_CHARACTERS = PORTION_CHARACTERS / MOST_ITEMS

/** What a file holds does not pass in the message, but the child reads it. */
const charactersOf = ({ input, parameters }: RunItem): number =>
  (typeof input === 'string' ? input.length : input.bytes) +
  (parameters === undefined ? 0 : JSON.stringify(parameters).length)
