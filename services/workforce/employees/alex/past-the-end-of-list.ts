/** A loop by index up to the length of a list and one further, in languages whose rules are over syntax trees. */
import { declaredAt, type LocalsGrammar, mayExpectFaults, scopesOf } from './locals.ts'
import { type Captured, LONG_FUNCTION, type TreeRule } from './tree-rule.ts'

/** What a language puts before the last index, and what it puts before the first that is left out. */
const instead = { '<=': '<', '..=': '..' } as const

/** How lists are declared, counted and read. `§` stands for the name in all three. */
export interface ListKind {
  /** Matched with the text around the name where it is declared. */
  readonly declared: RegExp
  /** As patterns. */
  readonly length: string
  /** Before and after the index. */
  readonly read: readonly [string, string]
}

/** `query` captures the condition or the range as `@at`, the beginning or the index as `@first`, and the `@body`. */
export const pastTheEnd = (
  query: string,
  grammar: LocalsGrammar,
  kinds: readonly ListKind[],
  sign: keyof typeof instead = '<=',
): TreeRule => ({
  query,
  message: 'The loop runs once past the end.',
  rule: [
    'error',
    'bug',
    'The last index is one less than the length: there is nothing at the length.',
    `Leave the length itself out: write ${instead[sign]}.`,
  ],
  holds: captured => readsPastTheEnd(captured, grammar, kinds, sign),
  replace: ({ at }) => ({ node: at, text: at.text.replace(sign, instead[sign]) }),
})

/** Whether each round reads the list by the index, and the loop is left by its end alone. */
function readsPastTheEnd(
  { at, first, body }: Captured,
  grammar: LocalsGrammar,
  kinds: readonly ListKind[],
  sign: keyof typeof instead,
): boolean {
  if (!body || !first || body.endIndex - body.startIndex > LONG_FUNCTION || at.endIndex - at.startIndex > 300)
    return false
  const { text, at: scopes } = scopesOf(at.tree, grammar)
  const [start = '', bound = ''] = at.text.split(sign === '<=' ? /\s*<=\s*/ : /\s*\.\.=\s*/, 2)
  const index = sign === '<=' ? start : first.text
  const step = text.slice(at.endIndex, body.startIndex)
  if (!/^\w{1,100}$/.test(index) || (sign === '<=' ? !counts(index, first.text, step) : start !== '0')) return false
  const code = plainCode(text.slice(body.startIndex, body.endIndex))
  const scope = scopes.get(at.startIndex)
  if (!scope || mayLeave.test(code) || changes(index).test(code) || mayExpectFaults(scope, text)) return false
  return kinds.some(({ declared, length, read: [before, after] }) => {
    const name = new RegExp(`^${length.replace('§', '(\\w{1,100})')}$`).exec(bound)?.[1]
    const offset = name === undefined ? undefined : declaredAt(name, at.startIndex, scope)
    if (name === undefined || offset === undefined) return false
    const declaration = `${text.slice(Math.max(0, offset - 100), offset)}§${text.slice(offset + name.length, offset + 100)}`
    if (!declared.test(declaration)) return false
    const isRead = new RegExp(`(?<![\\w.])${before.replace('§', name)}\\s*${index}\\s*${after}`, 'g')
    const found = code.search(isRead)
    const isOnlyRead = !new RegExp(`\\b${name}\\b`).test(code.replaceAll(isRead, ''))
    return found >= 0 && isOnlyRead && !mayPassBy.test(code.slice(0, found))
  })
}

/** Whether the index goes from 0 by steps of one. */
const counts = (index: string, first: string, step: string): boolean =>
  new RegExp(`(?:^|\\s)${index}\\s*:?=\\s*0\\s*;?$`).test(first.trim()) &&
  new RegExp(`^\\s*;\\s*(?:${index}\\s*\\+\\+|\\+\\+\\s*${index}|${index}\\s*\\+=\\s*1)\\s*\\)?\\s*$`).test(step)

/** With blanks for what is in quotes and in comments. */
const plainCode = (code: string): string =>
  code.replaceAll(/"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)'|\/\/.*|\/\*[\s\S]*?\*\//g, part =>
    ' '.repeat(part.length),
  )

const mayLeave =
  /\b(?:assert\w*|await|break|catch|continue|die|exit|fail\w*|fatal\w*|goto|panic|return|throw\w*|try|yield|abort)\b|\?/i

const changes = (index: string): RegExp =>
  new RegExp(`\\b${index}\\s*(?:[-+*/%|&^]?=(?!=)|\\+\\+|--)|(?:\\+\\+|--|&|\\bref\\s|\\bout\\s)\\s*${index}\\b`)

/** After which a read is not sure to be reached. */
const mayPassBy =
  /\b(?:if|else|switch|match|case|when|while|for|foreach|loop|do|select|func|fn|defer|go|lock)\b|&&|\||[=-]>/
