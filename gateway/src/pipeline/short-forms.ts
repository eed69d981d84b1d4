/** Two methods at one address: which of them answers is decided before its caller is admitted, by its scope and limits. */
import { codeOf, type RouteOf } from '@millhand/api'
import { hasScope } from '@millhand/rpc'
import { admissionSpan } from '../request-trace.ts'
import { bodyLimitOf, type JsonBody, readJsonBody } from '../transcode/json-body.ts'
import { RequestContext, type Responder } from './context.ts'
import type { Handle } from './match.ts'
import { createAdmit, jsonResponder, type PipelineDeps } from './pipeline.ts'
import { createLimit } from './request-weight.ts'

/** By the prefix of the path's id. */
export const byId =
  (usual: Handle, prefix: string, other: Handle): Handle =>
  (exchange, params, query) =>
    (params.id?.startsWith(prefix) ? other : usual)(exchange, params, query)

/** The steps of one of the two methods. */
interface Candidate {
  readonly scope: string
  /** Whether the caller's window is known here to have no room for the request. Counts nothing. */
  readonly isFull: (context: RequestContext) => boolean
  readonly admit: (context: RequestContext) => void | Promise<void>
  readonly respond: Responder
}

/**
 * By a field of the body, which has to be read for that. It is read only for callers that are authenticated and that one
 * of the two would admit. Where that is one only, it admits them first: else the bodies of callers that the other refuses
 * would be read without end. A body that can't be read is refused by the usual method, once it has admitted the caller.
 */
export function byBody(
  usualRoute: RouteOf<'json'>,
  field: string,
  otherRoute: RouteOf<'json'>,
  deps: PipelineDeps,
): Handle {
  const candidate = (route: RouteOf<'json'>): Candidate => ({
    scope: route.access.scope,
    isFull: createLimit(route, deps.limiter).isFull,
    admit: createAdmit(route, deps),
    respond: jsonResponder(route, deps),
  })
  const usual = candidate(usualRoute)
  const other = candidate(otherRoute)
  const bodyLimit = Math.min(bodyLimitOf(usualRoute), bodyLimitOf(otherRoute))
  const chosenBy = (body: JsonBody) => (Object.hasOwn(body.value() as object, field) ? other : usual)

  /** The only method that can be meant, or that says why neither can be; undefined where both can. */
  function onlyOne(context: RequestContext): Candidate | undefined {
    const allowed = [usual, other].filter(({ scope }) => hasScope(context.caller, scope))
    const open = allowed.filter(method => !method.isFull(context))
    return open.length > 1 ? undefined : (open[0] ?? allowed[0] ?? usual)
  }

  /** Fails as `admit` does, and releases the body then. */
  async function admitOrRelease(method: Candidate, context: RequestContext, reading: Promise<JsonBody>) {
    try {
      await method.admit(context)
    } catch (error) {
      await reading.then(body => body.release()).catch(() => {})
      throw error
    }
  }

  return async (exchange, params, query) => {
    const context = new RequestContext(exchange, params, query)
    const span = admissionSpan(exchange)
    let method: Candidate
    try {
      const caller = deps.authenticate(exchange)
      context.caller = caller instanceof Promise ? await caller : caller
      let only = onlyOne(context)
      await only?.admit(context)
      const reading = readJsonBody(exchange, context.caller, deps.bodies, bodyLimit)
      context.bodyReading = reading
      if (only === undefined) {
        // Other requests may have filled a window meanwhile: then nothing is parsed before it is counted.
        await reading.catch(() => {})
        only = onlyOne(context)
        if (only !== undefined) await admitOrRelease(only, context, reading)
      }
      method = await reading.then(chosenBy).catch(() => usual)
      if (method !== only) await admitOrRelease(method, context, reading)
    } catch (error) {
      span?.end(codeOf(error))
      throw error
    }
    span?.end()
    return method.respond(context)
  }
}
