/** A series as it was given, before anybody looked at its times. */
export interface RawSeries {
  readonly name: string
  /** Not a number where a value is missing. */
  readonly values: readonly number[]
  readonly timestamps?: readonly string[]
  /** What was noticed where it was read. */
  readonly warnings?: readonly string[]
}
