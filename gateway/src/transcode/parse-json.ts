/** JSON text from outside, read strictly. */
import { isUtf8 } from 'node:buffer'
import { fail } from '@millhand/api'
import { withoutSecrets } from '@millhand/api/redact-secrets'
import { checkShape } from './json-limits.ts'

/**
 * The object that `bytes` hold. What is in it is for its reader to judge, and of a small body also how deep it nests:
 * parsing does not recurse, so nothing here may.
 * Fails with `invalid_json` where they are not UTF-8 or not JSON, and the detail shows the place; with `invalid_parameter`
 * where a large body would take long to parse.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw fail('invalid_json', 'The body is empty; a JSON object is expected.')
  if (!isUtf8(bytes)) throw fail('invalid_json', 'The body is not valid UTF-8.')
  // Before a long list is scanned or parsed.
  if (firstByte(bytes) === LIST) throw notAnObject()
  checkShape(bytes)
  const text = bytes.toString('utf8')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notAnObject()
  }
  return value
}

const notAnObject = () => fail('invalid_json', 'The body is not a JSON object.')

/** The first that is no white space; all that JSON has of that is at most a space, and nothing else that JSON has is. */
function firstByte(bytes: Buffer): number | undefined {
  let at = 0
  while (at < bytes.length && (bytes[at] as number) <= SPACE) at++
  return bytes[at]
}

const SPACE = 0x20
const LIST = 0x5b

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message may show a piece of the text, and a piece of a secret does not look like one.
    const place = withoutSecrets(text) === text ? `: ${(error as Error).message}` : ''
    throw fail('invalid_json', `The body is not valid JSON${place}.`)
  }
}
