/** How we reach MongoDB, whatever we keep there: how long we wait, and which failures are those of the way there. */
import { fail } from '@millhand/api'
import {
  type MongoClientOptions,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb'

/** Where the URL has no others. */
const TIMEOUTS = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
}

/** How long a client waits, where its URL does not say. */
export const timeoutsFor = (url: string): MongoClientOptions =>
  Object.fromEntries(Object.entries(TIMEOUTS).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(url)))

/** The server refused one statement of a command. */
export class WriteRefused extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'WriteRefused'
    this.code = code
  }
}

/** The command reached the server, and what became of it is not certain. */
export class Unconfirmed extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'Unconfirmed'
  }
}

/** A server that goes, has gone, or has lost its place, by the list of the specification of retryable writes. */
const PASSING_CODES = new Set([6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])

/** What Node says of a connection that breaks: the driver passes it on as it is where it breaks under a write. */
const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Whether a failure says nothing of the request, only of the way to the server: it may have been done or not. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MongoWriteConcernError || error instanceof Unconfirmed) return true
  if (error instanceof MongoServerError || error instanceof WriteRefused)
    return typeof error.code === 'number' && PASSING_CODES.has(error.code)
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    BROKEN.has((error as NodeJS.ErrnoException | undefined)?.code ?? '') ||
    (error instanceof Error && error.name === 'MongoWaitQueueTimeoutError')
  )
}

/** Whether the request never left this process: no server was found in time. */
export const isUnsent = (error: unknown): boolean => error instanceof MongoServerSelectionError

/** What callers are told of a failure that passes. */
export const unreachable = (cause: unknown): Error =>
  fail('unavailable', 'The store can not be reached at the moment.', { cause, retryAfterS: 1 })

/** What callers are told while the server has answered nothing for long. It is of no use to ask again at once. */
export const circuitOpen = (): Error =>
  fail('unavailable', 'The store can not be reached at the moment.', {
    retryAfterS: 2,
    metadata: { circuit: 'open' },
  })

/** What a caller asks for: that the server can't be reached is no fault of ours, and rejects as `unavailable`. */
export async function asked<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (cause) {
    throw isPassing(cause) ? unreachable(cause) : cause
  }
}
