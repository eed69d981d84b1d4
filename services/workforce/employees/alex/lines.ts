/** The lines of a source, as what reads its language counts them. */
import type { Language } from './language.ts'

export const linesOf = (text: string, language: Language | undefined): string[] => text.split(endOfLine(language))

/** Where a line and a column, both from 1 and in UTF-16 units, are in a text. */
export function offsetIn(text: string, language: Language | undefined): (line: number, column: number) => number {
  const ends = [...text.matchAll(new RegExp(endOfLine(language), 'g'))]
  const starts = [0, ...ends.map(({ 0: end, index }) => index + end.length)]
  return (line, column) => (starts[line - 1] ?? text.length) + column - 1
}

/** ECMAScript and Python have lines that end without a line feed; a syntax tree has none. */
function endOfLine(language: Language | undefined): RegExp {
  if (language === 'javascript' || language === 'typescript') return /\r\n|[\n\r\u2028\u2029]/
  return language === 'python' ? /\r\n|[\n\r]/ : /\n/
}
