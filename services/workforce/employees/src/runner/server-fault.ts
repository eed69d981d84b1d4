/** Why the server of a model gave no answer, in words for the owner of a task: never its address, a key or what was asked. */
import { APICallError, RetryError } from 'ai'
import type { Fault } from './protocol.ts'

type ServedModel = 'language model' | 'image model'

/** Of one try that failed, or of the last of several: `model_refused`, or `model_unavailable`, which is retryable. */
export function serverFault(model: ServedModel, error: unknown): Fault {
  const status = statusOf(error)
  if (isRefusal(status))
    return {
      code: 'model_refused',
      message: `The ${model}’s server refused the request, with status ${status}.`,
      retryable: false,
    }
  const none = unavailable(model)
  // The status tells an operator more than that there is none: 401 is a wrong key, 429 too many requests.
  if (status !== undefined)
    return { ...none, message: `The ${model}’s server did not answer the request; its status was ${status}.` }
  const code = connectionFault(lastOf(error))
  return code === undefined ? none : { ...none, message: `The connection to the ${model}’s server failed: ${code}.` }
}

export const unavailable = (model: ServedModel): Fault => ({
  code: 'model_unavailable',
  message: `The ${model} could not be asked, or did not answer.`,
  retryable: true,
})

/** The server will not do it, whoever asks and however often. */
const isRefusal = (status: number | undefined): status is number =>
  status !== undefined && status >= 300 && status < 500 && ![401, 403, 408, 429].includes(status)

/** What a server answered with, where it answered. */
export function statusOf(error: unknown): number | undefined {
  const last = lastOf(error)
  return APICallError.isInstance(last) ? last.statusCode : undefined
}

/** What the system, or the client of HTTP, calls it: `ECONNREFUSED`, `UND_ERR_CONNECT_TIMEOUT`. */
function connectionFault(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(cause.code))
      return cause.code
  return undefined
}

export const lastOf = (error: unknown): unknown => (RetryError.isInstance(error) ? error.lastError : error)
