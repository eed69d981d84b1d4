import type { Collection as MongoCollection } from 'mongodb'
import type { WriteResult } from '../collection.ts'
import { isDuplicate, type WriteCommands } from './commands.ts'
import { Unconfirmed, type WriteRefused } from './connection.ts'
import { Groups, type Outcome } from './groups.ts'
import { type DeclaredIndex, refusingIndex } from './indexes.ts'
import { outcomeOf, type Trace, written } from './outcome.ts'
import type { StoredDocument } from './stored-document.ts'
import { expectingNothing, type Insertion, overTombstone, type Update, type WriteStatement } from './write-statement.ts'

/** So much was written after a write that its outcome can't be told any more. */
export class OutcomeUnknown extends Error {
  constructor(key: string, cause?: unknown) {
    super(`${key}: whether it was written can't be told`, { cause })
    this.name = 'OutcomeUnknown'
  }
}

/**
 * `exact`: it was written, and the outbox was as it expected, so it holds what the statement says and nothing else. An
 * insertion expects nothing in its place, not even a tombstone.
 */
export type WriteOutcome = WriteResult | { readonly kind: 'exact' }

export interface WriteGroupsOptions {
  readonly collection: MongoCollection<StoredDocument>
  readonly commands: WriteCommands
  readonly indexes: ReadonlyMap<string, DeclaredIndex>
}

/** Sends statements, those of one turn together. Rejects when no answer came, or a failure. */
export function writeGroups({ collection, commands, indexes }: WriteGroupsOptions) {
  const name = collection.collectionName
  const weigh = ({ length }: WriteStatement) => length

  const refused = (error: WriteRefused): Outcome<WriteResult> => {
    const index = isDuplicate(error) ? refusingIndex(indexes, error.message) : undefined
    return index === undefined ? { error } : { value: { kind: 'conflict', index } }
  }

  const inserts = new Groups<Insertion, WriteOutcome>({
    weigh,
    async send(group) {
      const { errors } = await commands.insert(
        name,
        group.map(({ document }) => document),
      )
      return group.map((_, place) => {
        const error = errors.get(place)
        return error ? refused(error) : { value: EXACT }
      })
    },
  })

  const updates = new Groups<Update, WriteResult>({
    weigh,
    async send(group) {
      const { n, errors } = await commands.update(
        name,
        group.map(({ update }) => update),
      )
      const asked = group.filter((_, place) => !errors.has(place))
      const made = await whichWereMade(asked, n)
      return group.map((write, place) => {
        const error = errors.get(place)
        return error ? refused(error) : made(write)
      })
    },
  })

  /** The server tells how many statements found their document, not which. */
  async function whichWereMade(asked: readonly Update[], n: number): Promise<(write: Update) => Outcome<WriteResult>> {
    if (n === asked.length) return write => ({ value: written(write) })
    if (n === 0) return write => ({ value: lost(write) })
    const traces = await readTraces(asked.map(({ key }) => key)).catch(cause => {
      throw new Unconfirmed('which of several writes were made could not be read', cause)
    })
    const made = new Set(asked.filter(({ key, token }) => traces.get(key)?.writes.includes(token)))
    return write => {
      if (made.has(write)) return { value: written(write) }
      if (made.size === n) return { value: lost(write) }
      const outcome = outcomeOf(write, traces.get(write.key))
      if (outcome === 'open') return { value: lost(write) } // Its outbox was not as expected.
      return typeof outcome === 'string' ? { error: new OutcomeUnknown(write.key) } : { value: outcome }
    }
  }

  async function readTraces(keys: readonly string[]): Promise<Map<string, Trace>> {
    const projection = { version: 1, writes: 1 }
    const found = await collection.find({ _id: { $in: [...new Set(keys)] } }, { projection }).toArray()
    return new Map(found.map(trace => [trace._id, trace]))
  }

  /** What is in the place of a write now. */
  const trace = async ({ key }: WriteStatement): Promise<Trace | undefined> => (await readTraces([key])).get(key)

  async function insert(write: Insertion): Promise<WriteOutcome> {
    for (;;) {
      const result = await inserts.add(write)
      if (!isTaken(result)) return result
      const over = await updates.add(overTombstone(write))
      // Neither, where the relay took the tombstone in between.
      if (!isTaken(over) || (await trace(write)) !== undefined) return over
    }
  }

  async function update(write: Update): Promise<WriteOutcome> {
    const result = await updates.add(write)
    if (!write.otherwise) return result
    if (result.kind === 'written') return EXACT
    return result.index === 'version' ? await updates.add(expectingNothing(write) as Update) : result
  }

  return {
    send: (write: WriteStatement): Promise<WriteOutcome> => (write.kind === 'update' ? update(write) : insert(write)),
    trace,
  }
}

const EXACT = { kind: 'exact' } as const

const isTaken = (answer: WriteOutcome) => answer.kind === 'conflict' && answer.index === 'primary'

export type WriteGroups = ReturnType<typeof writeGroups>

const lost = ({ version }: Update): WriteResult => ({
  kind: 'conflict',
  index: version === undefined ? 'primary' : 'version',
})
