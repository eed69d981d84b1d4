/** A request of HTTP as the message of its method: from the path, and from the body or the query. */
import type { DescMethod, MessageShape } from '@bufbuild/protobuf'
import { failFaults, jsonReader, queryReader, type Route } from '@millhand/api'
import type { Params } from '../dispatch.ts'
import type { Exchange } from '../exchange.ts'
import { parseJson } from './json-text.ts'
import { requireJson } from './media-type.ts'
import { parseQuery } from './query.ts'
import { readBody } from './read-body.ts'

/** Fails with every fault of the request at once. */
export type ReadRequest = (exchange: Exchange, params: Params, query: string) => Request | Promise<Request>

type Request = MessageShape<DescMethod['input']>

/** Bytes of a JSON body. */
const BODY_LIMIT = 1_048_576

export function requestReader({ desc, body, pathFields }: Route): ReadRequest {
  const fromQuery = queryReader(desc.input, { omit: body ? desc.input.fields.map(({ name }) => name) : pathFields })
  const fromBody = body ? jsonReader(desc.input, { omit: pathFields }) : undefined
  const inPath = desc.input.fields.filter(({ name }) => pathFields.includes(name))

  const withPath = (message: Request, params: Params): Request => {
    for (const { name, localName } of inPath) (message as Record<string, unknown>)[localName] = params[name]
    return message
  }

  return fromBody
    ? async (exchange, params, query) => {
        if (query !== '') accepted(fromQuery(parseQuery(query)))
        requireJson(exchange)
        return withPath(accepted(fromBody(parseJson(await readBody(exchange, BODY_LIMIT)))), params)
      }
    : (_exchange, params, query) => withPath(accepted(fromQuery(parseQuery(query))), params)
}

function accepted(reading: ReturnType<ReturnType<typeof jsonReader>>): Request {
  if (!reading.ok) throw failFaults(reading.faults)
  return reading.message
}
