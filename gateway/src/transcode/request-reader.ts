/** A request of HTTP as the message of its method: from the path, and from the body or the query. */
import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf'
import {
  type Fault,
  failFaults,
  isChoice,
  isFull,
  isRequired,
  isWithin,
  jsonReader,
  queryReader,
  type Reading,
  type Route,
} from '@millhand/api'
import { violations } from '@millhand/rpc'
import type { Params } from '../pipeline/match.ts'
import type { JsonBody } from './json-body.ts'
import { parseQuery } from './query-string.ts'

export interface RequestReader {
  /** The request of a method without a body, of the pairs of its query. Fails with every fault that an answer can show. */
  fromQuery(params: Params, pairs: readonly (readonly [name: string, value: string])[]): Request
  /** The request of a method with a body, whose query must be empty. A body that need say nothing may be missing. Fails as the other does. */
  fromBody(params: Params, query: string, body: JsonBody): Request
}

type Request = MessageShape<DescMethod['input']>

/** `inHeaders` names fields that come from neither path, query nor body. */
export function requestReader(route: Route, inHeaders: readonly string[] = []): RequestReader {
  const { desc, body, pathFields } = route
  const isNeeded = needsBody(route)
  const notInQuery = body === '*' ? desc.input.fields.map(({ name }) => name) : [...pathFields, ...inHeaders]
  const readQuery = queryReader(desc.input, { omit: notInQuery })
  const readBody = jsonReader(desc.input, { omit: pathFields })
  const inPath = desc.input.fields.filter(({ name }) => pathFields.includes(name))

  const withPath = (request: Request, params: Params): Request => {
    for (const { name, localName } of inPath) (request as Record<string, unknown>)[localName] = params[name]
    return request
  }

  /** Adds the path's fields before missing fields are reported. */
  const whole = (reading: Reading<Request>, params: Params): Request => {
    if (!reading.ok && reading.partial) withPath(reading.partial, params)
    return withPath(accepted(desc.input, reading), params)
  }

  return {
    fromQuery: (params, pairs) => whole(readQuery(pairs), params),
    fromBody(params, query, body) {
      if (query !== '') {
        const inQuery = readQuery(parseQuery(query))
        if (!inQuery.ok) throw failFaults(inQuery.faults)
      }
      return whole(readBody(body.bytes.length === 0 && !isNeeded ? {} : body.value()), params)
    },
  }
}

/** Whether the body has something that can't be left out. */
export const needsBody = ({ desc, pathFields }: Route): boolean =>
  desc.input.fields.some(field => (isRequired(field) || isChoice(field)) && !pathFields.includes(field.name))

/**
 * The service checks the rules of the contract itself; they are looked at here only when the request is refused in any
 * case, so that its caller hears of everything at once.
 */
export function accepted(desc: DescMessage, reading: Reading<Request>): Request {
  if (reading.ok) return reading.message
  const { faults, partial } = reading
  // A field that could not be read, or not whole, looks missing or too short; that is no further fault.
  const isNew = ({ param }: Fault) => !faults.some(fault => isWithin(fault.param, param))
  const broken = partial === undefined || isFull(faults) ? [] : violations(desc, partial).filter(isNew)
  throw failFaults([...faults, ...broken])
}
