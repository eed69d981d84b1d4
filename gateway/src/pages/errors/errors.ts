/** `/docs/errors` and `/docs/errors/{code}`: each error of the catalogue, and what to do about it. Needs no key. */
import { type CatalogueEntry, fail, isProblemCode, type ProblemCode, problemPath, problems } from '@millhand/api'
import type { Endpoint } from '../../pipeline/match.ts'
import { negotiated } from '../content-negotiation.ts'
import type { ErrorEntry, ErrorList } from './error-document.ts'
import { writeError, writeErrors } from './errors-html.ts'

/** The endpoints of the list and of the page of each error. */
export function errorPages(): Endpoint[] {
  const entries = new Map((Object.keys(problems) as ProblemCode[]).map(code => [code, entryOf(code)]))
  const list: ErrorList = { object: 'list', data: [...entries.values()] }
  const pages = new Map(
    [...entries].map(([code, entry]) => [code, negotiated({ ...pageOf(entry), write: writeError })]),
  )
  return [
    negotiated({ path: '/docs/errors', content: () => list, write: writeErrors }),
    {
      method: 'GET',
      pattern: '/docs/errors/:code',
      handle(exchange, params, query) {
        const { code = '' } = params
        const found = isProblemCode(code) ? pages.get(code) : undefined
        if (found === undefined) throw fail('not_found', 'There is no such error: `/docs/errors` lists all of them.')
        return found.handle(exchange, params, query)
      },
    },
  ]
}

const pageOf = (entry: ErrorEntry) => ({ path: entry.link, content: () => entry })

function entryOf(code: ProblemCode): ErrorEntry {
  const { status, title, action, header, retry }: CatalogueEntry = problems[code]
  return {
    object: 'error',
    code,
    status,
    title,
    action,
    ...(header !== undefined && { header }),
    ...(retry !== undefined && { should_retry: retry === 'idempotent' ? 'if_idempotent' : retry }),
    link: problemPath(code),
  }
}
