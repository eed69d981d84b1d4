/** Brackets that a piece of code opens or closes and that its other half has. */
import type { Language } from '../language.ts'

/** Code to put before and after a piece. */
export interface Around {
  readonly before: string
  readonly after: string
}

/** What closes the brackets that a piece leaves open, and opens those that it closes. */
export function bracketsAround(text: string, language: Language): Around {
  const open: string[] = []
  const missing: { readonly bracket: string; readonly next: string }[] = []
  const code = codeOf(text, language)
  for (const { 0: bracket, index } of code.matchAll(/[(){}[\]]/g)) {
    if (closes[bracket]) open.push(bracket)
    else if (closes[open.at(-1) ?? ''] === bracket) open.pop()
    else missing.push({ bracket, next: /^\s*(\w*)/.exec(code.slice(index + 1, index + 40))?.[1] ?? '' })
  }
  const heads: string[] = []
  for (const { bracket, next } of missing.toReversed()) {
    const last = heads.at(-1)
    const isArgument = last === '_(' || last === '['
    heads.push(bracket === ')' ? '_(' : bracket === ']' ? '[' : isArgument ? 'async () => {' : blockBefore(next))
  }
  const after = open
    .toReversed()
    .map(bracket => closes[bracket])
    .join('')
  return { before: heads.join(''), after }
}

/** By the word after its end. */
const blockBefore = (next: string): string =>
  next === 'else' ? 'if (_) {' : next === 'catch' || next === 'finally' ? 'try {' : '{'

const closes: Readonly<Record<string, string | undefined>> = { '(': ')', '{': '}', '[': ']' }

/** Comments, literals and regular expressions as blanks: their brackets count for nothing. */
const codeOf = (text: string, language: Language): string =>
  text.replaceAll(literals[language] ?? literal, found => ' '.repeat(found.length))

/** What is not closed ends with the text, or with the line: so a hostile text is read once. */
const comments = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))`
const inQuotes = (quote: string) => `${quote}[^${quote}\\\\\\n]*(?:\\\\.?[^${quote}\\\\\\n]*)*(?:${quote}|$)`
const strings = `${inQuotes('"')}|${inQuotes("'")}`
const template = '`[^`\\\\]*(?:\\\\[\\s\\S]?[^`\\\\]*)*(?:`|(?![\\s\\S]))'

/** A regular expression begins where a value may: not after a name, a number or a closing bracket. */
const regex = String.raw`\/(?<=(?:^|[=(,:;[!&|?{}+>]|\breturn|\btypeof)[ \t]*\/)(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,100}\]){1,200}\/[a-z]*`

const any = (...parts: readonly string[]) => new RegExp(parts.join('|'), 'gm')

const literal = any(comments, strings)
const scripted = any(comments, strings, template, regex)

const literals: Readonly<Partial<Record<Language, RegExp>>> = {
  javascript: scripted,
  typescript: scripted,
  go: any(comments, strings, '`[^`]*(?:`|(?![\\s\\S]))'),
  // A quote also begins a lifetime there.
  rust: any(comments, inQuotes('"'), String.raw`'(?:[^'\\\n]|\\.)'`),
  php: any(comments, String.raw`#(?!\[)[^\n]*`, strings),
  ruby: any(String.raw`#(?!\{)[^\n]*`, strings),
}
