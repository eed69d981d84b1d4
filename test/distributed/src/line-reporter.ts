/** Writes the end of each test as a line of JSON, for a program that runs a suite. */
import type { TestEvent } from 'node:test/reporters'

export interface TestLine {
  readonly name: string
  readonly file: string
  readonly isSuite: boolean
  /** Why it was skipped, or true where it does not say; false where it ran. */
  readonly skipped: string | boolean
  /** Why it failed; absent where it passed. */
  readonly error?: string
}

export default async function* lines(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { name, file = '', details, skip } = data
    const error = 'error' in details && !isOfSubtests(details.error) ? errorText(details.error) : undefined
    const line: TestLine = {
      name,
      file,
      isSuite: details.type === 'suite',
      skipped: skip === undefined ? false : skip || true,
      ...(error !== undefined && { error }),
    }
    yield `${JSON.stringify(line)}\n`
  }
}

/** A suite fails by its tests, which have lines of their own. */
const isOfSubtests = (error: Error): boolean => 'failureType' in error && error.failureType === 'subtestsFailed'

/** The runner wraps what a test threw. */
function errorText(error: Error): string {
  const { cause = error } = error
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
