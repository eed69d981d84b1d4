/** What a step found. */
export interface Verdict {
  /** What is wrong, in words; empty when all is well. */
  readonly faults: string
}
