/** The types of `input.schema.json` and `output.schema.json`. */
import type { Segment } from '../segments.ts'
import type { PlatformId } from './platforms.ts'

export interface Input {
  readonly facts?: readonly string[]
  readonly platforms?: readonly PlatformId[]
  readonly variants?: number
  readonly link?: string
  readonly call_to_action?: string
  readonly hashtags?: readonly string[]
  readonly emojis?: readonly string[]
}

export interface Post {
  readonly platform: PlatformId
  readonly variant: number
  readonly text: string
  readonly length: number
  readonly limit: number
  readonly counted_as: string
  readonly hashtags: readonly string[]
  readonly segments: readonly Segment[]
}

export interface Result {
  readonly posts: readonly Post[]
  readonly facts_left_out: readonly string[]
}
