/** Two methods at one address: which of them answers is decided before its caller is admitted, by its scope and limits. */
import type { Authenticate } from '../admission/authenticate.ts'
import type { Endpoint } from '../dispatch.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import type { JsonMethod } from './json-method.ts'

type Handle = Endpoint['handle']

/** By the beginning of the path's id. */
export const byId =
  (usual: Handle, prefix: string, other: Handle): Handle =>
  (exchange, params, query) =>
    (params.id?.startsWith(prefix) ? other : usual)(exchange, params, query)

/**
 * By a field of the body, which is read first, of callers who are known. Where it can't be read the usual one says so,
 * once it has admitted them.
 */
export function byBody(usual: JsonMethod, field: string, other: JsonMethod, authenticate: Authenticate): Handle {
  const methodFor = (body: JsonBody) => (Object.hasOwn(body.value() as object, field) ? other : usual)
  return async (exchange, params, query) => {
    const known = authenticate(exchange)
    const caller = known instanceof Promise ? await known : known
    const body = readJsonBody(exchange)
    const method = await body.then(methodFor).catch(() => usual)
    return method.handleRead(exchange, params, query, { caller, body })
  }
}
