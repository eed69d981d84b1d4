/** What a run gives while it is under way, and how large one piece may be. */
import { excerpt } from '@millhand/model'

export type Emission =
  /** The next piece of output: JSON text. */
  | { readonly kind: 'output'; readonly json: string }
  /** A line of its log. */
  | { readonly kind: 'log'; readonly text: string }
  | ({ readonly kind: 'progress' } & Progress)

interface Progress {
  /** From 0 to 1. */
  readonly fraction: number
  readonly message?: string
  /** Numbers that the run reports. */
  readonly metrics?: Readonly<Record<string, number>>
}

/** Bytes of UTF-8, by the contract. */
export const MAX_PIECE_BYTES = 64 * 1024
const MAX_LOG_BYTES = 8 * 1024
/** Characters, before an ellipsis; the contract's bound is 512. */
const MAX_MESSAGE = 500
const MAX_METRICS = 32
const MAX_METRIC_NAME = 64

/** A piece of output can't be cut: what is left would be no JSON. */
export class PieceTooLarge extends Error {
  constructor() {
    super(`a piece of the output is over ${MAX_PIECE_BYTES} bytes of JSON`)
    this.name = 'PieceTooLarge'
  }
}

/**
 * Within the bounds of the contract. Throws `PieceTooLarge`, a `SyntaxError` for output that is no JSON, and a
 * `TypeError` for what is no emission at all.
 */
export function bounded(emission: Emission): Emission {
  switch (emission.kind) {
    case 'output':
      if (Buffer.byteLength(emission.json) > MAX_PIECE_BYTES) throw new PieceTooLarge()
      JSON.parse(emission.json)
      return { kind: 'output', json: emission.json.toWellFormed() }
    case 'log':
      return { kind: 'log', text: firstBytes(emission.text, MAX_LOG_BYTES) }
    case 'progress':
      return { kind: 'progress', ...boundedProgress(emission) }
    default:
      throw new TypeError(`no emission: ${JSON.stringify(emission satisfies never)}`)
  }
}

const ELLIPSIS = '…'

/** Whole characters only. */
function firstBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text.toWellFormed()
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most - Buffer.byteLength(ELLIPSIS)))
  return text.slice(0, read).toWellFormed() + ELLIPSIS
}

function boundedProgress({ fraction, message, metrics }: Progress): Progress {
  return {
    fraction: Math.min(1, Math.max(0, fraction || 0)),
    ...(message !== undefined && { message: excerpt(message, MAX_MESSAGE) }),
    ...(metrics !== undefined && { metrics: boundedMetrics(metrics) }),
  }
}

function boundedMetrics(metrics: Readonly<Record<string, number>>): Record<string, number> {
  const told = Object.entries(metrics).filter(
    ([name, value]) => name !== '' && name.length <= MAX_METRIC_NAME && Number.isFinite(value),
  )
  return Object.fromEntries(told.slice(0, MAX_METRICS))
}
