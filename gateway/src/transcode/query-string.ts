/** The text after `?` as pairs. */
import { fail } from '@millhand/api'

/**
 * The decoded pairs of a query, in their order.
 * Fails with `invalid_parameter` where a pair is no UTF-8 in percent-encoding, or has no name.
 */
export function parseQuery(query: string): [name: string, value: string][] {
  if (query === '') return []
  const pairs: [string, string][] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    if (name === '') throw fail('invalid_parameter', 'The query holds a value without a name before its `=`.')
    pairs.push([name, equals === -1 ? '' : decode(pair.slice(equals + 1))])
  }
  return pairs
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw fail('invalid_parameter', 'The query holds a `%` that does not begin percent-encoded UTF-8.')
  }
}
