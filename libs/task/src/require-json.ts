import { fail } from '@millhand/api'

/** Fails with `invalid_parameter` where an executor's output is no JSON: it would stand as it is in what callers read. */
export function requireJson(text: string, param: string): string {
  try {
    JSON.parse(text)
    return text
  } catch (cause) {
    throw fail('invalid_parameter', 'An output is not JSON.', { param, cause })
  }
}
