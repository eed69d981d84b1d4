/** The names of a table's columns. */
import { excerpt } from '@millhand/model'
import { ExamplesInvalid } from '../example-set.ts'

const MOST_COLUMNS = 100_000

/** Throws `ExamplesInvalid` where one has no name, or two have the same. */
export function namedColumns(names: readonly string[]): readonly string[] {
  if (names.length > MOST_COLUMNS) throw new ExamplesInvalid(`has more than ${MOST_COLUMNS} columns`, { line: 1 })
  const seen = new Set<string>()
  for (const [at, name] of names.entries()) {
    if (name === '') throw new ExamplesInvalid(`column ${at + 1} has no name`, { line: 1 })
    if (seen.has(name)) throw new ExamplesInvalid(`two columns are named \`${excerpt(name)}\``, { line: 1 })
    seen.add(name)
  }
  return names
}
