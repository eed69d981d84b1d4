/** What a line of the log holds. */

export type Level = 'debug' | 'info' | 'warn' | 'error'

/** From the least to the most urgent. */
export const levels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly Level[]

/** A line before it is text. */
export interface Line {
  readonly time: string
  readonly level: Level
  readonly event: string
  readonly [field: string]: unknown
}
