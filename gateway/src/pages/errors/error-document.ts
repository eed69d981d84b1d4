/** The JSON of the pages of errors. */
import type { ProblemCode } from '@millhand/api'

/** An error of the catalogue, as its page's JSON shows it. */
export interface ErrorEntry {
  readonly object: 'error'
  readonly code: ProblemCode
  /** The HTTP status of the answer. */
  readonly status: number
  readonly title: string
  /** What the caller does about it, in sentences. */
  readonly action: string
  /** The header that each such answer has. */
  readonly header?: string
  /** Whether the same request may succeed later; `if_idempotent` where the first may have been done. */
  readonly should_retry?: boolean | 'if_idempotent'
  /** The path of its page. */
  readonly link: string
}

/** All of them, as the JSON of `/docs/errors` shows them. */
export interface ErrorList {
  readonly object: 'list'
  readonly data: readonly ErrorEntry[]
}
