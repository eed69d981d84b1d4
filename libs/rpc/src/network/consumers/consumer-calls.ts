/** Calls of internal consumers: told by their credential, and ended with it. */
import { ConnectError, createContextKey, type HandlerContext, type Interceptor } from '@connectrpc/connect'
import type { Principal } from '../../principal.ts'
import type { ConsumerDirectory } from './consumer-directory.ts'

/** What looks like the secret of a consumer in the metadata of a call. */
export function consumerSecretOf(header: Pick<Headers, 'get'>): string | undefined {
  const [, secret] = /^bearer (mhc_.*)$/i.exec(header.get('authorization') ?? '') ?? []
  return secret
}

/** Ends the call once its credential no longer allows it. */
export function endWithCredential(directory: ConsumerDirectory, caller: Principal, call: HandlerContext): void {
  call.values.set(isConsumerKey, true)
  const forget = directory.watch(caller, call.method, reason => {
    // The gate is given the context that Connect made, which can be ended.
    ;(call as HandlerContext & { abort(reason: unknown): void }).abort(ConnectError.from(reason))
  })
  // Connect ends the signal with every call.
  if (call.signal.aborted) forget()
  else call.signal.addEventListener('abort', forget, { once: true })
}

const isConsumerKey = createContextKey(false, { description: 'whether a consumer calls' })

/**
 * A consumer whose call is ended is told why: that it was revoked, or that its deadline is over. What a method says when
 * its signal ends is for the gateway, which calls again.
 */
export const sayWhyEnded: Interceptor = next => async request => {
  const { contextValues, signal } = request
  if (!contextValues.get(isConsumerKey)) return await next(request)
  try {
    const response = await next(request)
    return response.stream ? { ...response, message: untilEnded(response.message, signal) } : response
  } catch (error) {
    throw endOf(signal) ?? error
  }
}

async function* untilEnded<T>(messages: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* messages
  } catch (error) {
    throw endOf(signal) ?? error
  }
  const end = endOf(signal)
  if (end !== undefined) throw end
}

const endOf = ({ aborted, reason }: AbortSignal): ConnectError | undefined =>
  aborted && reason instanceof ConnectError ? reason : undefined
