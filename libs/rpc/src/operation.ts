/** The operation that a call is part of: whatever it makes gets an id that is the same at every try. */
import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import { type Id, type IdPrefix, type Ids, parseId } from '@millhand/api'

/** Where an idempotency key came with the request: 26 characters, the part after the prefix of the id of what it makes. */
export const operationKey = createContextKey<string | undefined>(undefined, { description: 'operation' })

/**
 * How long a call that creates a resource may itself wait for its end before it answers, in milliseconds. After that
 * its caller waits with a call of its own.
 */
export const waitMsKey = createContextKey(0, { description: 'wait of a create, ms' })

/**
 * The id of what a call makes: the operation's, or a new one. A method that finds that the operation's is taken was
 * called before with the same request, and answers with what is there. An operation has one id of each prefix.
 */
export function idOf<P extends IdPrefix>(prefix: P, call: Pick<HandlerContext, 'values'>, ids: Ids): Id<P> {
  const operation = call.values.get(operationKey)
  return operation === undefined ? ids(prefix) : `${prefix}_${operation}`
}

/** The text as an operation, or undefined if it is none. */
export function parseOperation(text: string): string | undefined {
  return parseId('req', `req_${text}`)?.slice('req_'.length)
}

/** The text as a wait, less than a second; 0 if it is none. */
export const parseWaitMs = (text: string): number => (WAIT_MS.test(text) ? Number(text) : 0)

const WAIT_MS = /^\d{1,3}$/
