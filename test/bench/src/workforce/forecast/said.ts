/** What somebody says of a window. */
export interface Said {
  readonly points: readonly number[]
  /** The 95 % interval; not there where a method has none. */
  readonly lower?: readonly number[]
  readonly upper?: readonly number[]
}
