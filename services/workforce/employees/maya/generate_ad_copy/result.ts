/** The types of `input.schema.json` and `output.schema.json`. */
import type { Segment } from '../segments.ts'
import type { PlatformId } from './fields.ts'

export interface Input {
  readonly facts?: readonly string[]
  readonly product?: string
  readonly call_to_action?: string
  readonly platforms?: readonly PlatformId[]
  readonly variants?: number
}

export interface Part {
  readonly field: string
  readonly text: string
  readonly length: number
  readonly limit: number
  readonly segments: readonly Segment[]
}

export interface Ad {
  readonly platform: PlatformId
  readonly variant: number
  readonly parts: readonly Part[]
}

export interface Lack {
  readonly platform: PlatformId
  readonly field: string
  readonly found: number
  readonly wanted: number
  readonly limit: number
}

export interface Result {
  readonly ads: readonly Ad[]
  readonly lacks: readonly Lack[]
  readonly superlatives: readonly { readonly source: string; readonly word: string }[]
  readonly facts_left_out: readonly string[]
}
