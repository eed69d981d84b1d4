/** Whether a protocol or a format demands a weak hash where it is made. */
import type { Found } from './finding.ts'

/** By a word in its function, in the comment before that, or in the constants that the hash is of. Never where it is of a password or the like. */
export function demandsHash(lines: readonly string[], { line }: Found): boolean {
  const made = statementAt(lines, line - 1)
  const head = headOf(lines, line - 1)
  const name = head === undefined ? '' : nameIn(lines[head] ?? '')
  if (namesSecret.test(made) || namesSecret.test(name)) return false
  const around = head === undefined ? paragraphAt(lines, line - 1) : functionAt(lines, head)
  const constants = [...made.matchAll(/\b[A-Z][A-Z_\d]{2,40}\b/g)].slice(0, 5).map(([constant]) => constant)
  const setting = new RegExp(`\\b(?:${constants.join('|')})\\b[^=]{0,40}=[^=]`)
  const set =
    constants.length === 0 ? [] : lines.slice(0, HEAD_OF_FILE).filter(row => row.length < LONGEST && setting.test(row))
  return demands.test([...around, ...set].join('\n').slice(0, 8000))
}

const LONGEST = 300

/** Constants are searched there alone: each hash searches them. */
const HEAD_OF_FILE = 200

/** A value that is called so is a secret. */
const namesSecret = /pass|pwd|secret|token/i

/** Formats that name MD5 or SHA-1: RFC 6455 (WebSocket), RFC 7616 (Digest), RFC 6238 (TOTP), RFC 5849 (OAuth 1), RFC 1864 (Content-MD5), RFC 9562 (UUID), git. */
const demands =
  /websocket|258eafa5|digest[\s_-]?auth|www-authenticate|\b(?:totp|hotp|oauth_?1?|hmac[\s_-]?sha-?1)\b|content-md5|\betag\b|gravatar|pwned|\bx5t\b|thumbprint|fingerprint|\bgit\b|blob (?:\$?\{|%)|\buuid[35]?\b|\brfc\s?\d{4}\b|scram-sha-1|mysql_native_password|\bcnonce\b/i

/** Its line, and those of its arguments and of calls on it. */
function statementAt(lines: readonly string[], at: number): string {
  let text = lines[at] ?? ''
  for (let next = at + 1; next < at + 6 && next < lines.length; next++) {
    const isOpen = text.split('(').length > text.split(')').length
    if (!isOpen && !/^\s*\./.test(lines[next] ?? '')) break
    text += `\n${lines[next]}`
  }
  return text.slice(0, 2000)
}

const depthOf = (line: string): number => line.search(/\S|$/)

/** The line that begins the function around a line, by its indentation. */
function headOf(lines: readonly string[], at: number): number | undefined {
  let depth = Number.POSITIVE_INFINITY
  for (let row = at; row >= Math.max(0, at - MOST_LINES); row--) {
    const line = lines[row] ?? ''
    if (line.trim() === '' || depthOf(line) >= depth) continue
    depth = depthOf(line)
    if (
      line.length < LONGEST &&
      isHead.test(line) &&
      !/^\s*(?:\}\s*)?(?:if|else|for|while|switch|catch|with|using|try|return|await)\b/.test(line)
    )
      return row
  }
  return undefined
}

const MOST_LINES = 200

/** A word of the language, an arrow, or a name with parameters and a brace. */
const isHead = /\b(?:def|function|func|fn)\b|=>|[\w$]\s*\([^;]{0,200}\)[^;(){]{0,80}\{/

const nameIn = (head: string): string =>
  /\b(?:def|function\*?|func|fn)\s+(?:\([^)]{0,80}\)\s*)?([\w$.]+)/.exec(head)?.[1] ??
  /([\w$]+)\s*[=:]\s*(?:async\b|function\b|\(|\w+\s*=>)/.exec(head)?.[1] ??
  /([\w$]+)\s*\(/.exec(head)?.[1] ??
  ''

/** With the comment and the decorators right before it. */
function functionAt(lines: readonly string[], head: number): string[] {
  const depth = depthOf(lines[head] ?? '')
  let start = head
  while (start > 0 && /^\s*(?:#|\/\/|\/?\*|@)/.test(lines[start - 1] ?? '')) start--
  let end = head + 1
  while (
    end < lines.length &&
    end < head + MOST_LINES &&
    (lines[end]?.trim() === '' || depthOf(lines[end] ?? '') > depth)
  )
    end++
  return lines.slice(start, end)
}

/** Lines without a blank one between: outside of functions what belongs together. */
function paragraphAt(lines: readonly string[], at: number): string[] {
  let start = at
  while (start > 0 && start > at - 16 && lines[start - 1]?.trim() !== '') start--
  let end = at + 1
  while (end < lines.length && end < at + 8 && lines[end]?.trim() !== '') end++
  return lines.slice(start, end)
}
