/** JSON text from outside, read strictly. */
import { isUtf8 } from 'node:buffer'
import { fail } from '@millhand/api'
import { withoutSecrets } from '@millhand/api/secrets'

/**
 * The object that `bytes` hold. How deep it nests and what its strings hold is for its reader to judge: parsing does not
 * recurse, so nothing here may.
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
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message may show a piece of the text, and a piece of a secret does not look like one.
    const place = withoutSecrets(text) === text ? `: ${(error as Error).message}` : ''
    throw fail('invalid_json', `The body is not valid JSON${place}.`)
  }
}
