/** Paths as diffs write them: quoted, with prefixes, with times behind them. */

/** The path of the new side, or of the old one where the new one is gone, without the prefixes that git puts before both. */
export function pathOf(before: string, after: string): string {
  if (after === GONE) return before.replace(/^a\//, '')
  if (before === GONE) return after.replace(/^b\//, '')
  return sameRest(before, after) ?? (before.startsWith('a/') && after.startsWith('b/') ? after.slice(2) : after)
}

export const GONE = '/dev/null'

/** The path that `diff --git` names twice; undefined where it names two, as of a renamed file. */
export function pathNamedTwice(names: string): string | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(names)
  if (quoted) return sameRest(unquoted(quoted[1] ?? ''), unquoted(quoted[2] ?? ''))
  for (let at = names.indexOf(' '); at >= 0; at = names.indexOf(' ', at + 1)) {
    const path = sameRest(unquoted(names.slice(0, at)), unquoted(names.slice(at + 1)))
    if (path !== undefined) return path
  }
  return undefined
}

/** Of `a/x` and `b/x` it is `x`; of `x` and `x`, which `--no-prefix` writes, as well. */
function sameRest(before: string, after: string): string | undefined {
  if (before === after) return after
  const rest = (name: string) => name.slice(name.indexOf('/') + 1)
  return before.includes('/') && after.includes('/') && rest(before) === rest(after) ? rest(after) : undefined
}

/** What comes after `--- ` or `+++ `: behind a tab stands a time, or nothing where the name has blanks. */
export const nameIn = (line: string): string => unquoted(line.slice(4).replace(/\t.*$/s, '').trimEnd())

/** Git quotes names as C does, with the bytes of UTF-8 in octal digits. */
export function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name
  const bytes = name
    .slice(1, -1)
    .match(/\\[0-3][0-7]{2}|\\.|[^\\]+/gs)
    ?.map(part => (part.startsWith('\\') ? escaped(part.slice(1)) : Buffer.from(part)))
  return Buffer.concat(bytes ?? []).toString('utf8')
}

const escaped = (code: string): Buffer =>
  /^\d/.test(code) ? Buffer.from([Number.parseInt(code, 8)]) : Buffer.from(controls[code] ?? code)

const controls: Readonly<Record<string, string | undefined>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
}
