/** Texts of one input: the input itself, or the items of a JSON list. */
import { InputInvalid, parseJson } from './tensors.ts'
import { withoutMark } from './utf8.ts'

export interface InputTexts {
  readonly texts: readonly string[]
  /** Whether the input is a list: then the output is too. */
  readonly isList: boolean
}

/** How many texts one input may have. */
export const MOST_TEXTS = 256

/** Whatever is a JSON list is a list of texts: who wants its brackets read puts it into a list. Throws `InputInvalid`. */
export function readTexts(source: string): InputTexts {
  const input = withoutMark(source)
  if (input === '') throw new InputInvalid('the input is empty')
  const list = /^\s*\[/.test(input) ? parseList(input) : undefined
  if (list === undefined) return { texts: [input], isList: false }
  if (list.length === 0 || list.length > MOST_TEXTS) {
    throw new InputInvalid(`a list of texts must have from 1 to ${MOST_TEXTS}, not ${list.length}`)
  }
  const wrong = list.findIndex(text => typeof text !== 'string' || text === '')
  if (wrong >= 0) throw new InputInvalid(`item ${wrong} of the list must be a string that is not empty`)
  return { texts: list as string[], isList: true }
}

/** Undefined for text that only begins as a list. */
function parseList(input: string): readonly unknown[] | undefined {
  try {
    return parseJson(input) as readonly unknown[]
  } catch {
    return undefined
  }
}
