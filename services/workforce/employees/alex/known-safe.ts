/** Findings that the code around them answers: a sentence that is no SQL, a name that is no secret, a hash that a protocol demands, a comment that allows it. */
import { demandsHash } from './demanded-hash.ts'
import type { Found } from './finding.ts'
import type { Language } from './language.ts'
import { linesOf } from './lines.ts'
import { reExported } from './re-exports.ts'
import { isPlaceholder, looksSecret } from './secret.ts'
import { isPythonSql } from './sql-text.ts'

/** What is left of the findings of a text, some of them as notes. */
export function withoutKnownSafe(findings: readonly Found[], text: string, language: Language, path: string): Found[] {
  const lines = linesOf(text, language)
  const isPackage = /(?:^|\/)__init__\.py$/.test(path)
  const forOthers = reExported(
    lines,
    findings.flatMap(({ rule, line }) => (rule === 'F401' ? line : [])),
  )
  return findings.flatMap(found => {
    if (found.rule === 'F401' && (isPackage || forOthers.has(found.line))) return []
    if (holds[found.rule]?.(lines, found) === false) return []
    if (secretRules.has(found.rule)) {
      const certainty = secrecyOf(lines, found)
      if (certainty === 'none') return []
      if (certainty === 'doubtful') return { ...found, severity: 'warning' as const }
    }
    const doubt = weakHash.has(found.rule) && demandsHash(lines, found) ? PROTOCOL : undefined
    if (doubt !== undefined) return { ...found, severity: 'info' as const, why: doubt }
    if (found.rule === 'syntax-error' || !isAllowed(lines, found)) return found
    // Who may switch off what tells of holes is not known: those stay as notes.
    return found.category === 'security' ? { ...found, severity: 'info' as const } : []
  })
}

const from = (lines: readonly string[], { line, column }: Found): string =>
  [lines[line - 1]?.slice(column - 1), ...lines.slice(line, line + 20)].join('\n').slice(0, 4000)

const holds: Readonly<Record<string, ((lines: readonly string[], found: Found) => boolean) | undefined>> = {
  S608: (lines, found) => isPythonSql(from(lines, found), before(lines, found)),
  // Frameworks read what these say of a parameter; nobody shares the value.
  B008: (lines, found) =>
    !/^(?:\w+\.)*(?:Depends|Security|Query|Path|Body|Header|Cookie|Form|File|Param|Option|Argument|Provide)\(/.test(
      from(lines, found),
    ),
}

/** The statement up to the place, from its first line. */
function before(lines: readonly string[], { line, column }: Found): string {
  const rows = [...lines.slice(Math.max(0, line - 4), line - 1), lines[line - 1]?.slice(0, column - 1) ?? '']
  return rows.join('\n')
}

const secretRules = new Set(['S105', 'S106', 'S107'])

/** Of a name for a password any literal may be one; of tokens, keys and the like what looks made by a machine, or is too long for a word. */
function secrecyOf(lines: readonly string[], found: Found): 'none' | 'doubtful' | 'likely' {
  const name = /"(\w+)"$/.exec(found.message)?.[1] ?? ''
  const value = /^(?:\w+\s*=\s*)?[rbuf]{0,2}(["'])(.*?)\1/i.exec(from(lines, found))?.[2] ?? ''
  if (looksSecret(value)) return 'likely'
  if (aboutSecrets.test(name)) return 'none'
  const isWord = !/^[^\s<>{}]{4,}$/.test(value) || isPlaceholder(value) || value.toLowerCase() === name.toLowerCase()
  if (/(?:password|passwd|pwd|passphrase|pass)$/i.test(name)) {
    if (!/[a-z\d]/i.test(value) || /^<.*>$|\{.*\}/.test(value)) return 'none'
    return isWord || /^(?:password|changeme)$/i.test(value) ? 'doubtful' : 'likely'
  }
  if (isWord || value.length < 8 || isPath(value)) return 'none'
  if (/\d/.test(value) && /[a-z]/i.test(value)) return 'likely'
  return /^[a-z]{20,}$/i.test(value) && !/token|secret|key|password|csrf/i.test(value) ? 'doubtful' : 'none'
}

/** What such a name ends with holds no secret. */
const aboutSecrets =
  /(?:^|_)(?:type|name|url|uri|path|field|header|prefix|suffix|id|label|env|var|param|file|format|regex|pattern|help|message|msg|error|title|kind|scheme|hint|length|policy|endpoint|grant)s?$/i

/** Slashes stand in keys in Base64 too; a path begins with one, or has a part that is a word. */
const isPath = (value: string): boolean =>
  value.includes('/') && (/^\.{0,2}\/|:\/\//.test(value) || value.split('/').some(part => /^[a-z_]{2,}$/.test(part)))

const weakHash = new Set(['S324', 'weak-hash'])

const PROTOCOL =
  'The hash is broken for passwords and signatures; the code near it names a protocol or a format that demands it.'

/** Whether a comment at the end of the line, or of the line before it for ESLint, says that the rule may be broken there. */
function isAllowed(lines: readonly string[], { rule, line, endLine }: Found): boolean {
  const ends = [lines[line - 1] ?? '', lines[endLine - 1] ?? '']
  return (
    ends.some(text => names(/#\s*noqa\b(?!:)|#\s*noqa:\s*([A-Z]+\d*(?:[\s,]+[A-Z]+\d+)*)[^"']*$/i, text, rule)) ||
    names(/\/[/*]\s*eslint-disable-line\b([^*"'`]*)/, ends[0] ?? '', rule) ||
    names(/^\s*\/[/*]\s*eslint-disable-next-line\b([^*"'`]*)/, lines[line - 2] ?? '', rule)
  )
}

function names(comment: RegExp, text: string, rule: string): boolean {
  if (text.length > LONGEST_COMMENTED) return false
  const match = comment.exec(text)
  if (!match || /["'`]\s*$/.test(text)) return false
  const listed = (match[1] ?? '').split(' -- ')[0]?.match(/[@\w/-]+/g) ?? []
  const isRuff = comment.source.includes('noqa')
  return listed.length === 0 || listed.some(code => (isRuff ? rule.startsWith(code.toUpperCase()) : code === rule))
}

/** Code with a comment that a person wrote is shorter. */
const LONGEST_COMMENTED = 1000
