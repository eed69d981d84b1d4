/** What came of tests. */
export interface Told {
  readonly passed: number
  readonly total: number
  /** What did not pass, or why nothing ran to its end. */
  readonly faults: readonly string[]
}
