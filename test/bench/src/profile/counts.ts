/** What is counted in a server while it runs. Each is exact: it depends on the code, not on the machine. */
export interface Counts {
  /** Committed transactions. */
  transactions: number
  /** Calls of fdatasync(2) and fsync(2). */
  syncs: number
  /** Tasks that were made JSON text for the store. */
  recordEncodes: number
  /** Rows of tasks that were inserted or changed. */
  recordWrites: number
  /** Rows of the event log. */
  events: number
  /** Rows of other tables that hold a whole event. */
  eventCopies: number
  /** Statements that changed or inserted, of any table. */
  statements: number
  /** Statements that read. */
  reads: number
  /** Characters of text that statements were given to write. */
  written: number
  /** Messages of requests that were checked against the rules of the contract. */
  validations: number
  stringified: number
  parsed: number
}

export const noCounts = (): Counts => ({
  transactions: 0,
  syncs: 0,
  recordEncodes: 0,
  recordWrites: 0,
  events: 0,
  eventCopies: 0,
  statements: 0,
  reads: 0,
  written: 0,
  validations: 0,
  stringified: 0,
  parsed: 0,
})
