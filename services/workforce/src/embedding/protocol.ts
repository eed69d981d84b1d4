/** What passes between the executor and the process of an embedding model. One question at a time. */
import type { Said } from '@millhand/worker'
import type { Loaded } from '../asked-child.ts'

export interface Load {
  readonly model: string
  readonly tokenizer: string
  readonly threads: number
}

export interface Question {
  readonly texts: readonly string[]
}

export type Answer =
  /** Beside it go the vectors, one after the other. */
  | { readonly kind: 'embedded'; readonly count: number }
  /** Also of what was stopped. */
  | { readonly kind: 'failed' }

export type Heard =
  | Loaded
  | Exclude<Answer, { kind: 'embedded' }>
  | { readonly kind: 'embedded'; readonly vectors: readonly Float32Array[] }

/** Numbers of a vector, and bytes of those of 512 texts. */
export const MOST_WIDTH = 4_096
export const MOST_VECTORS_BYTES = 512 * MOST_WIDTH * Float32Array.BYTES_PER_ELEMENT

/** Undefined for what the protocol does not know. */
export function readFromChild({ head, parts }: Said): Heard | undefined {
  const said = head as Loaded | Answer
  if (said.kind === 'embedded') {
    const [bytes, ...more] = parts
    return bytes !== undefined && more.length === 0 ? vectors(said.count, bytes) : undefined
  }
  return parts.length === 0 && others.has(said.kind) ? said : undefined
}

const others: ReadonlySet<string> = new Set(['loaded', 'refused', 'failed'])

function vectors(count: number, bytes: Buffer): Heard | undefined {
  const width = bytes.length / Float32Array.BYTES_PER_ELEMENT / count
  if (!Number.isSafeInteger(width) || width < 1) return undefined
  // A copy: the bytes may begin anywhere.
  const all = new Float32Array(Uint8Array.from(bytes).buffer)
  if (!all.every(Number.isFinite)) return undefined
  const kept = Array.from({ length: count }, (_, at) => all.subarray(at * width, (at + 1) * width))
  return { kind: 'embedded', vectors: kept }
}
