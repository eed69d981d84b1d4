/** A request of HTTP as the message of its method: from the path, and from the body or the query. */
import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf'
import { failFaults, jsonReader, queryReader, type Reading, type Route } from '@millhand/api'
import { violations } from '@millhand/rpc'
import type { Params } from '../dispatch.ts'
import { parseJson } from './json-text.ts'
import { parseQuery } from './query.ts'

export interface RequestReader {
  /** The request of a method without a body. Fails with every fault at once. */
  fromQuery(params: Params, query: string): Request
  /** The request of a method with a body, whose query must be empty. Fails with every fault at once. */
  fromBody(params: Params, query: string, body: Buffer): Request
}

type Request = MessageShape<DescMethod['input']>

/** `inHeaders` names fields that come from neither path, query nor body. */
export function requestReader({ desc, body, pathFields }: Route, inHeaders: readonly string[] = []): RequestReader {
  const notInQuery = body === '*' ? desc.input.fields.map(({ name }) => name) : [...pathFields, ...inHeaders]
  const readQuery = queryReader(desc.input, { omit: notInQuery })
  const readBody = jsonReader(desc.input, { omit: pathFields })
  const inPath = desc.input.fields.filter(({ name }) => pathFields.includes(name))

  const withPath = (request: Request, params: Params): Request => {
    for (const { name, localName } of inPath) (request as Record<string, unknown>)[localName] = params[name]
    return request
  }

  return {
    fromQuery: (params, query) => withPath(accepted(desc.input, readQuery(parseQuery(query))), params),
    fromBody(params, query, body) {
      if (query !== '') accepted(desc.input, readQuery(parseQuery(query)))
      return withPath(accepted(desc.input, readBody(parseJson(body))), params)
    },
  }
}

/**
 * The service checks the rules of the contract itself; they are looked at here only when the request is refused in any
 * case, so that its caller hears of everything at once.
 */
export function accepted(desc: DescMessage, reading: Reading<Request>): Request {
  if (reading.ok) return reading.message
  // A field that could not be read, or not whole, looks missing or too short; that is no further fault.
  const isTold = (broken: string) =>
    reading.faults.some(
      ({ param }) => param === broken || param.startsWith(`${broken}.`) || param.startsWith(`${broken}[`),
    )
  const broken = reading.partial ? violations(desc, reading.partial).filter(({ param }) => !isTold(param)) : []
  throw failFaults([...reading.faults, ...broken])
}
