/** A statement for a database that grows by `+=`, in any language: a value in what is added becomes part of it. */
import type { Found } from './finding.ts'
import type { Language } from './language.ts'
import { linesOf } from './lines.ts'
import { shared } from './tree-rule.ts'

export function sqlAppended(text: string, language: Language): Found[] {
  const lines = linesOf(text, language)
  const started = lines.map(line => (line.length > LONGEST ? undefined : starts.exec(line)?.[1]))
  const statements = new Set(started)
  const [severity, category, why, fix] = shared.sql
  /** Statements that so far end within a quote of SQL. */
  const open = new Set<string>()
  return lines.flatMap((line, at) => {
    if (line.length > LONGEST) return []
    const [, indent = '', name = started[at] ?? '', added = ''] = grows.exec(line) ?? []
    const isStatement = statements.has(name) || (/sql|query|stmt/i.test(name) && clause.test(added))
    if (!isStatement) return []
    const isValue = hasValue(added, language) || isQuoted(added, open.has(name))
    if (endsInQuote(line)) open.add(name)
    else open.delete(name)
    if (!isValue) return []
    const found: Found = {
      rule: 'sql-appended',
      severity,
      category,
      line: at + 1,
      column: indent.length + 1,
      endLine: at + 1,
      message: 'SQL is put together from values.',
      why,
      fix,
      edits: [],
    }
    return found
  })
}

const LONGEST = 1000

const keyword = '(?:select\\s|insert\\s+into\\s|update\\s|delete\\s+from\\s|with\\s+\\w+\\s+as\\s)'

/** A name that a statement is kept under; the words in capitals, or a name that says so. */
const starts = new RegExp(
  `(?<![\\w$])([\\w$]+)(?:\\s*:\\s*\\w+)?\\s*:?=\\s*\\(?\\s*[rbfuRBFU@$]{0,2}["'\`]+\\s*(?:${keyword.toUpperCase().replaceAll(/\\[SW]/g, code => code.toLowerCase())})`,
)

const grows = /^(\s*)((?:\$|this\.|self\.)?[\w$]+)\s*(?:\+=|\.=|<<)\s*(.+)$/

const clause = /["'`][\s(]*(?:where|and|or|set|values|order\s+by|group\s+by|limit|having|from|join|union)\b/i

/** Literals and values together; numbers, lengths and lists of placeholders are none. */
function hasValue(added: string, language: Language): boolean {
  const plain = added.replaceAll(/\s*(?:#(?!\{)|\/\/).*$/g, '')
  const inside = interpolated[language]?.test(plain) ? /()\{([^{}]+)\}/g : /([$#])\{([^{}]+)\}/g
  const values = [
    ...[...plain.matchAll(inside)].map(([, , value = '']) => value),
    ...[...plain.matchAll(/["'`]\s*(?:\+\s*(?=[a-z_$])|\.\s*(?=\$))((?:[\w.$[\]'"()]|->|::)*)/gi)].map(
      ([, value = '']) => value,
    ),
    ...[...plain.matchAll(/["']\s*(?:%\s*|\.format\()\(?([\w.]+\(?)/g)].map(([, value = '']) => value),
    ...formatted(plain),
    ...(language === 'php' ? phpValues(plain) : []),
  ]
  return values.map(value => value.trim()).some(value => !harmless.test(value) && !constant.test(value))
}

/** Literals that name values in braces alone. */
const interpolated: Readonly<Partial<Record<Language, RegExp>>> = {
  python: /\b[rb]?f[rb]?["']/i,
  csharp: /\$@?"/,
}

/** A value that comes first, in quotes of SQL: those before it stand in the line before, or those behind it in this one. */
function isQuoted(added: string, isOpen: boolean): boolean {
  const [, value = '', behind = ''] =
    /^([a-z_$](?:[\w.$[\]'"()]|->|::){0,200}?)\s*(?:[+.]\s*["`](')|[;)]*\s*$)/i.exec(added) ?? []
  return value !== '' && (behind !== '' || isOpen) && !harmless.test(value) && !constant.test(value)
}

/** Whether the last literal of a line has a quote of SQL that it does not close. */
function endsInQuote(line: string): boolean {
  const literal = /(["`])([^"`]{0,500})\1[\s;)]*$/.exec(line)?.[2] ?? ''
  return literal
    .replaceAll(/'[^']*'/g, '')
    .replace(/--.*/, '')
    .includes("'")
}

/** What goes into a format as text: `fmt.Sprintf`, `String.format`, `sprintf`, and `{0}` of C#. */
const formatted = (text: string): string[] =>
  [...text.matchAll(/\b(?:s?printf|format)\(\s*(["'`])((?:(?!\1).){0,400})\1\s*,\s*([^)]{1,200})/gi)].flatMap(
    ([, , format = '', values = '']) => (/%(?:\d+\$)?-?[svq]|\{\d/.test(format) ? values.split(',') : []),
  )

/** Variables within literals in double quotes; those in braces are found as in other languages. */
const phpValues = (text: string): string[] =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].flatMap(([literal]) => literal.match(/\$[a-z_]\w*/gi) ?? [])

/** What can't hold a quote, or stands for placeholders. */
const harmless =
  /^(?:int|len|float|count|Number|parseInt|intval|strconv\.Itoa|str\(int)\(|^[\w.]+\.isoformat\(|placeholders?\b|^format\(?$|\.join\b|\.length$|:\d*d$|^(?:\$?\w+(?:\.|->|::))*\w*(?:quote|escape)\w*\(/i

/** A constant, by its capitals. */
const constant = /^(?:\w+\.)*[A-Z][A-Z_\d]+$/
