/** What is another's is answered as what has never been. */
import assert from 'node:assert/strict'
import type { Answer } from './http.ts'

/** An id of the same form, that nothing has. */
export const unknownIn = (id: string) => `${id.slice(0, id.lastIndexOf('_'))}_01kaje5z1cf6tvnyxkkhbm3v8h`

/** What is asked for with the one id is answered as with the other, and with one of the statuses. */
export async function assertSame(
  ask: (id: string) => Promise<Answer>,
  known: string,
  unknown: string,
  statuses = [404],
) {
  const [hidden, absent] = [await ask(known), await ask(unknown)]
  assert.ok(statuses.includes(hidden.status), `${hidden.status}: ${hidden.text}`)
  assert.equal(bare(hidden, known), bare(absent, unknown))
}

/** An answer without the id that it was asked for, and without what every answer has of its own. */
export function bare({ status, headers, text }: Answer, id: string): string {
  const { date: _, 'x-request-id': __, ratelimit: ___, ...rest } = headers
  const body = text.replaceAll(id, '<id>').replaceAll(/req_[0-9a-z]{26}/g, '<request>')
  return JSON.stringify([status, rest, body], null, 1)
}
