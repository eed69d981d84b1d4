/** What passes between the executor and the process of an embedding model. One question at a time. */
import type { ChildMessage } from '@millhand/child-process'
import { MOST_EMBEDDED } from '../runner/protocol.ts'

export interface Load {
  readonly model: string
  readonly tokenizer: string
  readonly threads: number
}

export interface Question {
  readonly texts: readonly string[]
}

/** What the child hears. `stop` ends what is being answered. */
export type ToChild =
  | { readonly kind: 'load'; readonly load: Load }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'stop' }

/** What it says: whether it has loaded, then its answers. */
export type FromChild =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'refused'; readonly message: string }
  /** Beside it go the vectors, one after the other. */
  | { readonly kind: 'embedded'; readonly count: number }
  /** Also of what was stopped. */
  | { readonly kind: 'failed' }

export type Heard =
  | Exclude<FromChild, { kind: 'embedded' }>
  | { readonly kind: 'embedded'; readonly vectors: readonly Float32Array[] }

/** Numbers of a vector, and bytes of those of so many texts. */
export const MOST_WIDTH = 4_096
export const MOST_VECTORS_BYTES = MOST_EMBEDDED * MOST_WIDTH * Float32Array.BYTES_PER_ELEMENT

/** A copy that has what the protocol names and nothing else; undefined for what it does not know. */
export function readFromChild({ head, parts }: ChildMessage): Heard | undefined {
  const said = (head ?? {}) as Readonly<Record<string, unknown>>
  if (said.kind === 'embedded') {
    const [bytes, ...more] = parts
    return bytes !== undefined && more.length === 0 ? vectors(said.count, bytes) : undefined
  }
  if (parts.length > 0) return undefined
  const { kind, message } = said
  if (kind === 'loaded' || kind === 'failed') return { kind }
  return kind === 'refused' && typeof message === 'string' ? { kind, message: message.slice(0, 500) } : undefined
}

function vectors(count: unknown, bytes: Buffer): Heard | undefined {
  if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > MOST_EMBEDDED) return undefined
  const width = bytes.length / Float32Array.BYTES_PER_ELEMENT / Number(count)
  if (!Number.isInteger(width) || width < 1 || width > MOST_WIDTH) return undefined
  // A copy: the bytes may begin anywhere.
  const all = new Float32Array(Uint8Array.from(bytes).buffer)
  if (!all.every(Number.isFinite)) return undefined
  const kept = Array.from({ length: Number(count) }, (_, at) => all.subarray(at * width, (at + 1) * width))
  return { kind: 'embedded', vectors: kept }
}
