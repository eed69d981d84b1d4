/** What the process of tests says. It runs code that nobody has read: what it says is read like anything from outside. */

export interface Result {
  /** Of the file of the test. */
  readonly path: string
  readonly name: string
  /** Empty where it passed. */
  readonly fault: string
}

export interface Outcome {
  readonly results: readonly Result[]
  /** Why it did not run to its end; undefined where it did. */
  readonly ended?: string | undefined
}

/** What came of tests. */
export interface Verdict {
  readonly passed: number
  readonly total: number
  /** What did not pass, or why nothing ran to its end. */
  readonly faults: readonly string[]
}

const MOST_RESULTS = 10_000
const MOST_CHARACTERS = 500

/** The verdict is made here, of what each test did: `paths` are the files of tests, and each is to have run one. */
export function verdictOn(outcome: unknown, paths: readonly string[]): Verdict {
  const { results, ended } = Object(outcome)
  if (!Array.isArray(results) || results.length > MOST_RESULTS) return { passed: 0, total: 0, faults: ['it broke'] }
  const all = results.map(resultOf).filter(({ path }) => paths.includes(path))
  const failed = all.filter(({ fault }) => fault !== '')
  const faults = failed.map(({ name, fault }) => (name === '' ? fault : `${name}: ${fault}`))
  if (ended !== undefined) faults.push(text(ended))
  return { passed: all.length - failed.length, total: all.length, faults }
}

function resultOf(result: unknown): Result {
  const { path, name, fault } = Object(result)
  return { path: text(path), name: text(name), fault: text(fault) }
}

const text = (value: unknown): string =>
  (typeof value === 'string' ? value : 'it broke').slice(0, MOST_CHARACTERS).toWellFormed()
