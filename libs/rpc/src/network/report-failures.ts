/** Tells the log why a call failed, which its caller is not told. */
import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from '@connectrpc/connect'
import { isOurs } from '@millhand/api'
import type { Log } from '@millhand/telemetry'
import { requestIdKey } from '../principal.ts'

/** Logs every error that a handler did not mean for its caller. */
export function reportFailures(log: Log): Interceptor {
  const report = (request: UnaryRequest | StreamRequest, error: unknown) => {
    if (error instanceof ConnectError && (!unmeant.has(error.code) || !isOurs(error))) return
    const { service, method, contextValues, signal } = request
    // What fails because its caller has gone is no fault of ours.
    const level = signal.aborted ? 'debug' : 'error'
    const requestId = contextValues.get(requestIdKey)
    log[level]('rpc.failed', { method: `${service.typeName}/${method.name}`, request_id: requestId, error })
  }
  return next => async request => {
    try {
      const response = await next(request)
      if (!response.stream) return response
      return { ...response, message: watched(response.message, error => report(request, error)) }
    } catch (error) {
      report(request, error)
      throw error
    }
  }
}

async function* watched<T>(messages: AsyncIterable<T>, onError: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* messages
  } catch (error) {
    onError(error)
    throw error
  }
}

const unmeant: ReadonlySet<Code> = new Set([Code.Internal, Code.Unknown, Code.DataLoss])
