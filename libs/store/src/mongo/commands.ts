import { type Db, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb'

/** One update or removal of one document. */
export interface UpdateStatement {
  readonly q: object
  readonly u: object
}

export interface WriteReply {
  /** How many documents were inserted, matched, or deleted. */
  readonly n: number
  /** What was refused, by the statement's place. */
  readonly errors: ReadonlyMap<number, WriteRefused>
}

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

const WRITE_CONCERN = { w: 'majority', j: true }

/**
 * The write commands with many statements each, in no order, answered when a majority has them in its journal. Plain
 * commands: the driver's own bulk writes measure every document before they serialize it, and do no more for us.
 */
export function writeCommands(db: Db) {
  const run = async (command: object): Promise<WriteReply> => {
    const reply = await db.command(
      { ...command, ordered: false, writeConcern: WRITE_CONCERN },
      { ignoreUndefined: true },
    )
    if (reply.writeConcernError) throw new Unconfirmed('not confirmed by a majority', reply.writeConcernError)
    const errors = (reply.writeErrors ?? []) as { index: number; code: number; errmsg: string }[]
    return {
      n: Number(reply.n),
      errors: new Map(errors.map(({ index, code, errmsg }) => [index, new WriteRefused(code, errmsg)])),
    }
  }
  return {
    insert: (collection: string, documents: readonly object[]) => run({ insert: collection, documents }),
    update: (collection: string, updates: readonly UpdateStatement[]) => run({ update: collection, updates }),
    delete: (collection: string, filters: readonly object[]) =>
      run({ delete: collection, deletes: filters.map(q => ({ q, limit: 1 })) }),
  }
}

export type WriteCommands = ReturnType<typeof writeCommands>

export const isDuplicate = (error: WriteRefused): boolean => error.code === 11000

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
  if (error instanceof MongoServerError || error instanceof WriteRefused)
    return typeof error.code === 'number' && PASSING_CODES.has(error.code)
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof Unconfirmed ||
    BROKEN.has((error as NodeJS.ErrnoException | undefined)?.code ?? '') ||
    (error instanceof Error && error.name === 'MongoWaitQueueTimeoutError')
  )
}

/** Whether the request never left this process: no server was found in time. */
export const isUnsent = (error: unknown): boolean => error instanceof MongoServerSelectionError
