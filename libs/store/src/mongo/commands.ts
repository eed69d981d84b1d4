import type { Db } from 'mongodb'
import { Unconfirmed, WriteRefused } from './connection.ts'

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
