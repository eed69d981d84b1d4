/**
 * A regular expression as the right side of a rule in GBNF, which knows groups, classes and repetitions. What the
 * expression forbids besides (lookaheads) is left out. Undefined where it may let pass what JSON would escape.
 */
export function patternRule(pattern: string): string | undefined {
  const whole = /^\^([\s\S]*)\$$/.exec(pattern)?.[1]
  if (whole === undefined) return undefined
  const rule: string[] = []
  for (let at = 0; at < whole.length; ) {
    const rest = whole.slice(at)
    const lookahead = /^\(\?[!=]/.test(rest) ? groupOf(rest) : undefined
    const [read = '', written] = lookahead === undefined ? piece(rest) : [lookahead, '']
    if (written === undefined) return undefined
    rule.push(written)
    at += read.length
  }
  return rule.join('')
}

/** What is read first, and how it is written; the latter is absent for what is not known. */
function piece(rest: string): [string, string?] {
  const [group] = /^\(\?:/.exec(rest) ?? []
  if (group) return [group, '(']
  const [sign] = /^(?:[()|+*?]|\{\d+(?:,\d*)?\})/.exec(rest) ?? []
  if (sign) return [sign, sign === '|' ? ' | ' : sign]
  const [classed, inner] = /^\[((?:[\w@+./: -]|\\[wd.-])+)\]/.exec(rest) ?? []
  if (classed && inner) return [classed, ` [${inClass(inner)}]`]
  const [escaped] = /^\\[wd]/.exec(rest) ?? []
  if (escaped) return [escaped, ` [${inClass(escaped)}]`]
  const [literal] = /^(?:\\[./-]|[\w@/: -])/.exec(rest) ?? []
  return literal ? [literal, ` "${literal.at(-1)}"`] : ['']
}

const inClass = (inner: string): string =>
  inner.replaceAll('\\w', 'a-zA-Z0-9_').replaceAll('\\d', '0-9').replaceAll('\\.', '.')

/** The group that a text begins with, up to its end. */
function groupOf(text: string): string {
  let depth = 0
  let at = 0
  for (; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) break
  }
  return text.slice(0, at + 1)
}
