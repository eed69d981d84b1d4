/** Calls that end because their peer is gone, or was never there. */
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'

/**
 * Makes them `unavailable`. Connect has three codes for it, of which two mean something else to our callers: `aborted`
 * after a reset (that is a conflict), `canceled` when a session ends under a call, and `internal` for the rest; an
 * answer that breaks off is Node's own error.
 */
export const mapConnectionErrors: Interceptor = next => async request => {
  const mapped = (error: unknown) => (request.signal.aborted || !isLoss(error) ? error : unavailable(error))
  try {
    const response = await next(request)
    return response.stream ? { ...response, message: withMappedErrors(response.message, mapped) } : response
  } catch (error) {
    throw mapped(error)
  }
}

async function* withMappedErrors<T>(
  messages: AsyncIterable<T>,
  mapped: (error: unknown) => unknown,
): AsyncGenerator<T> {
  try {
    yield* messages
  } catch (error) {
    throw mapped(error)
  }
}

/** A call that neither its caller nor its server says is cancelled, or one that failed in Node's network. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return isOfNode(error)
  return (error.code === Code.Canceled && !error.isWireError) || isOfNode(error.cause)
}

const isOfNode = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'

const unavailable = (cause: unknown) =>
  new ConnectError('the connection was lost, or could not be made', Code.Unavailable, undefined, undefined, cause)
