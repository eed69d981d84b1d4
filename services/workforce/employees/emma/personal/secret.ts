import type { Found } from './found.ts'

/** Keys, tokens and passwords: by how they begin, by the word before them, or by looking like nothing else. */
export function* secrets(text: string): Iterable<Found> {
  yield* privateKeys(text)
  for (const { 0: token, index: start } of text.matchAll(/[A-Za-z0-9_+/=.~-]{12,}/g)) {
    const end = start + token.length - (/[.=~-]+$/.exec(token.slice(-4))?.[0] === '.' ? 1 : 0)
    if (isKnown.test(token) || looksRandom(token)) yield { kind: 'secret', start, end }
  }
  for (const { 0: whole, 1: value = '', index } of text.matchAll(assigned))
    yield { kind: 'secret', start: index + whole.length - value.length, end: index + whole.length }
  for (const { 0: whole, 1: value = '', index } of text.matchAll(said))
    if (/[0-9_#$%&*+=@^~|\\<>-]/.test(value.slice(0, -1)) || /\d$/.test(value))
      yield { kind: 'secret', start: index + whole.length - value.length, end: index + whole.length }
  // In an address: https://name:password@host
  for (const { 0: whole, 1: value = '', index } of text.matchAll(/:\/\/[^\s/:@]{0,64}:([^\s/@]{1,128})(?=@)/g))
    yield { kind: 'secret', start: index + whole.length - value.length, end: index + whole.length }
}

/** As services let their keys begin, so that they are found where they should not be. */
const isKnown =
  /^(?:(?:sk|pk|rk)[-_][A-Za-z0-9_-]{10,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w.-]{10,}|eyJ[\w-]{6,}\.[\w-]{4,}[\w.-]*|npm_\w{16,}|SG\.[\w.-]{16,}|(?:whsec|whsk)_\S{8,}|[a-z]{2,8}_(?:live|test|prod)_\S{6,})/

const names =
  '(?:pass(?:word|wort|phrase|code)?|pwd?|mot de passe|contraseñ?a|senha|wachtwoord|hasło|pin|otp(?: code)?|(?:one-time|verification|login|security) code|secret|token|credentials?|(?:api|access|private|secret|client)[ _-]?key|(?:secret|access|code)[ _-]?(?:word|code)|cvv|cvc)'
/** What is masked already is no secret any more. */
const unmasked = '(?!\\[[a-z ]{2,20} \\d)'
const assigned = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:[a-z]{1,16}[_-])?${names}"?\\s{0,2}[:=>]\\s{0,2}["'\`“]?${unmasked}((?:(?!</)[^\\s"'\`”,;]){3,200})`,
  'giu',
)
const said = new RegExp(
  `(?<![\\p{L}\\p{N}])${names} (?:is|was|=|ist|lautet) ["'\`“]?${unmasked}([^\\s"'\`”,;]{3,200})`,
  'giu',
)

const LEAST_RANDOM = 24
/** An identifier that says of what: `task_01kaje5z1cf6tvnyxkkhbm3v8h`; and a UUID. Neither opens anything. */
const isIdentifier =
  /^(?!.*(?:secret|token|key|pass))[a-z]{2,12}_[0-9a-hjkmnp-tv-z]{26}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Long, of letters and digits mixed, and without the runs that words have. */
function looksRandom(token: string): boolean {
  const bare = token.replace(/^[=./~-]{1,9}/, '')
  return !isIdentifier.test(bare) && bare.split(/[.=~]+/).some(isMixed)
}

function isMixed(part: string): boolean {
  if (part.length < LEAST_RANDOM || !/\d/.test(part) || !/[A-Za-z]/.test(part)) return false
  // The parts of a path are words; those of a key in base64 are not.
  if (part.includes('/') && !(/[A-Z]/.test(part) && /[a-z]/.test(part))) return false
  const changes = part.match(/\d(?=\D)|\D(?=\d)|[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0
  return changes >= part.length / 6
}

function* privateKeys(text: string): Iterable<Found> {
  let last = 0
  for (const { 0: begin, index: start } of text.matchAll(/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g)) {
    if (start < last) continue
    const end = text.indexOf('-----END', start + begin.length)
    const close = end < 0 ? -1 : text.indexOf('-----', end + 8)
    last = close < 0 ? text.length : close + 5
    yield { kind: 'secret', start, end: last }
  }
}
