/** What an item asks the mock runner for. */

import { mostSandboxMs, type SandboxInput } from '@millhand/api'
import type { RunItem } from '@millhand/child-process'
import { InputInvalid } from '@millhand/model'

export interface StreamInstructions {
  /** How many pieces. */
  readonly chunks: number
  /** From one to the next, and before the first. */
  readonly intervalMs: number
  /** Every piece; where it is not set, a word that counts them. */
  readonly chunk: string | undefined
}

/** Together some 48 KiB of JSON at most, less than a piece may be. */
const mostCharacters = 8_192

/**
 * By the parameters `chunks`, `interval_ms` and `chunk`; an input that begins `sandbox:stream` stands for 10 pieces,
 * 100 ms apart. Undefined where neither is there. Throws `InputInvalid`.
 */
export function readStreamInstructions(
  asked: SandboxInput | undefined,
  parameters: RunItem['parameters'] = {},
): StreamInstructions | undefined {
  if (asked?.kind !== 'stream' && !NAMES.some(name => Object.hasOwn(parameters, name))) return undefined
  const usual = asked?.kind === 'stream' ? { chunks: 10, intervalMs: 100 } : { chunks: 1, intervalMs: 0 }
  const { chunks = usual.chunks, interval_ms = usual.intervalMs, chunk } = parameters
  if (!isBetween(chunks, 1_000_000) || !Number.isInteger(chunks)) {
    throw new InputInvalid('the parameter `chunks` must be a whole number from 0 to 1000000')
  }
  if (!isBetween(interval_ms, 60_000)) {
    throw new InputInvalid('the parameter `interval_ms` must be a number from 0 to 60000')
  }
  if (chunks * interval_ms > mostSandboxMs) {
    throw new InputInvalid('the parameters `chunks` and `interval_ms` must make 10 minutes at most')
  }
  if (chunk !== undefined && (typeof chunk !== 'string' || chunk.length > mostCharacters)) {
    throw new InputInvalid(`the parameter \`chunk\` must be a string of at most ${mostCharacters} characters`)
  }
  return { chunks, intervalMs: interval_ms, chunk }
}

const NAMES = ['chunks', 'interval_ms', 'chunk']

/** The piece of this number, from 1. */
export const pieceOf = ({ chunk }: StreamInstructions, count: number): string => chunk ?? `word${count} `

const isBetween = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= most
