/** A loop by index up to the length of a list and one further, in languages whose rules are over syntax trees. */
import { type Captured, LONG_FUNCTION, type TreeRule } from './tree-rule.ts'

/** What a language puts before the last index, and what it puts before the first that is left out. */
const instead = { '<=': '<', '..=': '..' } as const

/** `query` captures the condition or the range as `@at`, the beginning or the index as `@first`, and the `@body`. */
export const pastTheEnd = (query: string, sign: keyof typeof instead = '<='): TreeRule => ({
  query,
  message: 'The loop runs once past the end.',
  rule: [
    'error',
    'bug',
    'The last index is one less than the length: there is nothing at the length.',
    `Leave the length itself out: write ${instead[sign]}.`,
  ],
  holds: captured => readsPastTheEnd(captured, sign),
  replace: ({ at }) => ({ node: at, text: at.text.replace(sign, instead[sign]) }),
})

/** Where the body compares the index or names the length again, its writer has thought of it. */
function readsPastTheEnd({ at, first, body }: Captured, sign: keyof typeof instead): boolean {
  if (!body || body.endIndex - body.startIndex > LONG_FUNCTION) return false
  const text = at.text.slice(0, 300)
  const start = first?.text.trim() ?? ''
  const [before = '', bound = ''] = text.split(new RegExp(`\\s*${escapedName(sign)}\\s*(?![.=])`), 2)
  const [, list, counted] = ofLength.exec(bound) ?? []
  const name = list ?? counted
  const index = sign === '<=' ? before : start
  if (name === undefined || !/^\$?\w+$/.test(index)) return false
  const isFromZero = sign === '<=' ? new RegExp(`${escapedName(index)}\\s*:?=\\s*0\\s*;?$`).test(start) : before === '0'
  if (!isFromZero) return false
  const [one, all] = [escapedName(index), escapedName(name)]
  const isRead = new RegExp(
    `(?<![\\w.$])${all}(?:\\[\\s*${one}\\s*\\]|\\.(?:get|charAt|elementAt)\\(\\s*${one}\\s*\\))(?!\\s*\\?\\?)`,
  )
  const isCompared = new RegExp(
    `(?<![\\w$])${one}\\s*(?:[=!]=|[<>])|[<>=]\\s*${one}(?![\\w$])|${all}\\.(?:length|size|len|Length|Count)\\b|(?:len|count)\\(${all}\\)|isset\\(|\\bcatch\\b`,
  )
  return isRead.test(body.text) && !isCompared.test(body.text)
}

const ofLength = /^(?:([\w.]+?)\.(?:length(?:\(\))?|size(?:\(\))?|len\(\)|Length|Count)|(?:len|count)\((\$?[\w.]+)\))$/

const escapedName = (name: string): string => name.replaceAll(/[$.]/g, String.raw`\$&`)
