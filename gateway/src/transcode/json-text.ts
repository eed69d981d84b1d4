/** JSON text from outside, read strictly. */
import { isUtf8 } from 'node:buffer'
import { fail } from '@millhand/api'

/**
 * The value that `bytes` hold. How deep it nests is for its reader to judge: parsing does not recurse.
 * Fails with `invalid_json` where they are not UTF-8 or not JSON; the detail shows the place.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw fail('invalid_json', 'The body is empty; a JSON object is expected.')
  if (!isUtf8(bytes)) throw fail('invalid_json', 'The body is not valid UTF-8.')
  const text = bytes.toString('utf8')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fail('invalid_json', 'The body is JSON, but not an object.')
  }
  if (mayHoldNul.test(text)) refuseNul(value)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw fail('invalid_json', `The body is not valid JSON: ${(error as Error).message}.`)
  }
}

/** Also matches an escaped backslash before `u0000`, which is harmless. */
const mayHoldNul = /\\u0000/

/** Not every store can keep NUL, so none is asked to. */
function refuseNul(value: unknown) {
  // The reviver sees every name and every value.
  JSON.stringify(value, (name, member) => {
    if (name.includes('\0')) throw holdsNul('A name in the body')
    if (typeof member === 'string' && member.includes('\0')) throw holdsNul(`\`${name}\``, name)
    return member
  })
}

const holdsNul = (what: string, param?: string) =>
  fail('invalid_parameter', `${what} holds the character U+0000.`, param === undefined ? {} : { param })
