/** A header's value with parameters, such as `form-data; name="file"` (RFC 9110, section 5.6.6). */
import { broken } from './broken-form.ts'

export type Parameters = ReadonlyMap<string, string>

export interface WithParameters {
  /** What comes before the parameters, in lower case. */
  readonly value: string
  /** By their names in lower case. Empty ones are left out. */
  readonly parameters: Parameters
}

/**
 * Reads more than the standard has: blanks around `=`, values with blanks or quotes in them, and backslashes that escape nothing, as paths have.
 * Fails with `invalid_parameter` where a quote has no end, and where a parameter has two values.
 */
export function parametersOf(text: string, header: string): WithParameters {
  const [value = '', ...pieces] = piecesOf(text.trimEnd(), header)
  const parameters = new Map<string, string>()
  for (const piece of pieces) {
    const equals = piece.indexOf('=')
    if (equals === -1) continue
    const name = piece.slice(0, equals).trim().toLowerCase()
    const text = unquoted(piece.slice(equals + 1).trim())
    if ((parameters.get(name) ?? text) !== text) throw broken(`${header} says \`${name.slice(0, 64)}\` twice`)
    parameters.set(name, text)
  }
  return { value: value.trim().toLowerCase(), parameters }
}

/** What is between the semicolons, apart from those within quotes. A quote begins only behind `=`; one behind a backslash ends it only as the last character. */
function piecesOf(text: string, header: string): string[] {
  const pieces: string[] = []
  let from = 0
  let isQuoted = false
  let before = '' // The last character that is no blank.
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (isQuoted) {
      if (sign === '"') isQuoted = false
      else if (sign === '\\' && at + 2 < text.length) at++
    } else if (sign === '"') isQuoted = before === '='
    else if (sign === ';') {
      pieces.push(text.slice(from, at))
      from = at + 1
    }
    if (sign.trim() !== '') before = sign
  }
  if (isQuoted) throw broken(`${header} has a quote without an end`)
  pieces.push(text.slice(from))
  return pieces
}

const unquoted = (text: string) =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text
