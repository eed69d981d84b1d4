/** Two methods at one address: which of them answers is decided before its caller is admitted, by its scope and limits. */
import type { Caller } from '../admission/caller.ts'
import { holds } from '../admission/scope.ts'
import type { Endpoint } from '../dispatch.ts'
import type { Exchange } from '../exchange.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import type { JsonMethod, JsonMethodDeps } from './json-method.ts'

type Handle = Endpoint['handle']

/** By the beginning of the path's id. */
export const byId =
  (usual: Handle, prefix: string, other: Handle): Handle =>
  (exchange, params, query) =>
    (params.id?.startsWith(prefix) ? other : usual)(exchange, params, query)

/**
 * By a field of the body, which has to be read for that. It is read of callers alone who are known and whom one of the
 * two would admit. Where that is one only, it admits them first: bodies of those whom the other refuses would be read
 * without end else. Where a body can't be read the usual one says so, once it has admitted them.
 */
export function byBody(
  usual: JsonMethod,
  field: string,
  other: JsonMethod,
  { authenticate, bodies }: Pick<JsonMethodDeps, 'authenticate' | 'bodies'>,
): Handle {
  const methodFor = (body: JsonBody) => (Object.hasOwn(body.value() as object, field) ? other : usual)

  /** The only one that can be meant, or that says why neither can be; none where both can. */
  function onlyOne(exchange: Exchange, caller: Caller): JsonMethod | undefined {
    const allowed = [usual, other].filter(({ scope }) => holds(caller, scope))
    const open = allowed.filter(method => !method.isFull(exchange, caller))
    return open.length > 1 ? undefined : (open[0] ?? allowed[0] ?? usual)
  }

  /** Fails as `admit` does, and nothing is held of the body then. */
  async function admitOrLeave(method: JsonMethod, exchange: Exchange, caller: Caller, body: Promise<JsonBody>) {
    try {
      await method.admit(exchange, caller)
    } catch (error) {
      await body.then(({ held }) => held[Symbol.dispose]()).catch(() => {})
      throw error
    }
  }

  return async (exchange, params, query) => {
    const known = authenticate(exchange)
    const caller = known instanceof Promise ? await known : known
    let only = onlyOne(exchange, caller)
    await only?.admit(exchange, caller)
    const body = readJsonBody(exchange, caller, bodies)
    if (only === undefined) {
      // What came meanwhile may have filled a window: then nothing is parsed before it is counted.
      await body.catch(() => {})
      only = onlyOne(exchange, caller)
      if (only !== undefined) await admitOrLeave(only, exchange, caller, body)
    }
    const method = await body.then(methodFor).catch(() => usual)
    if (method !== only) await admitOrLeave(method, exchange, caller, body)
    return method.handleRead(exchange, params, query, { caller, body })
  }
}
