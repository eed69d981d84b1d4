import type { Clock } from '@millhand/process'
import type { Collection as MongoCollection } from 'mongodb'
import type { Change, Collection, Document, WriteResult } from '../collection.ts'
import { countQuery, findQuery } from './find-query.ts'
import { Groups } from './groups.ts'
import type { DeclaredIndex } from './indexes.ts'
import type { MadeWrite } from './known-outboxes.ts'
import { settle } from './settle.ts'
import { documentOf, keyOf, type Layout, type StoredDocument } from './stored-document.ts'
import type { WriteGroups } from './write-groups.ts'
import { type ExpectedOutbox, statementOf } from './write-statement.ts'
import type { WriteTokens } from './write-tokens.ts'

export interface MongoCollectionDeps {
  readonly collection: MongoCollection<StoredDocument>
  readonly layout: Layout
  readonly indexes: ReadonlyMap<string, DeclaredIndex>
  readonly groups: WriteGroups
  readonly tokens: WriteTokens
  readonly clock: Clock
  /** Waits for the connection and the indexes, until they were there once: before, nothing is asked of the server. */
  readonly ready: () => Promise<void> | undefined
  /** A write begins; `leaves` where it leaves something in the outbox. */
  readonly begin: (tenant: string, id: string, leaves: boolean) => BegunWrite
}

interface BegunWrite {
  readonly expected: ExpectedOutbox | undefined
  /** With undefined where it was not made, or where that is not known. */
  end(made: MadeWrite | undefined): void
}

export function mongoCollection<T extends Document, I extends string>(deps: MongoCollectionDeps): Collection<T, I> {
  const { collection, layout, indexes, groups, tokens, clock, ready, begin } = deps

  const gets = new Groups<string, T | undefined>({
    async send(keys) {
      await ready()
      const filter = { _id: { $in: [...new Set(keys)] } }
      const found = await collection.find(filter, { projection: { version: 1, body: 1 } }).toArray()
      const stored = new Map(found.map(document => [document._id, document]))
      // Each asker has a document of its own.
      return keys.map(key => {
        const there = stored.get(key)
        return { value: there && documentOf<T>(there) }
      })
    },
  })

  function declaredAs(name: string): DeclaredIndex {
    const declared = indexes.get(name)
    if (declared === undefined) throw new RangeError(`${layout.collection} has no index ${name}`)
    return declared
  }

  async function write(change: Change<T>): Promise<WriteResult> {
    const { kind, events } = change
    const { tenant, id } = kind === 'remove' ? change : change.document
    const begun = begin(tenant, id, events.length > 0 || kind === 'remove')
    let made: MadeWrite | undefined
    try {
      const statement = statementOf(layout, change, tokens.next(), begun.expected)
      const { token, becomes } = statement
      const prepared = ready()
      if (prepared) await prepared
      const answer = await settle(groups, statement, clock).catch(error => {
        tokens.doubt(token)
        throw error
      })
      if (answer.kind === 'conflict') return answer
      made = { writeId: token, kind, events, isExact: answer.kind === 'exact' }
      return { kind: 'written', version: becomes }
    } finally {
      begun.end(made)
    }
  }

  return {
    get: (tenant, id) => gets.add(keyOf(tenant, id)),

    async find(name, query) {
      const { filter, options } = findQuery(name, declaredAs(name), query)
      const made = ready()
      if (made) await made
      const found = await collection.find(filter, options).toArray()
      return found.map(stored => documentOf<T>(stored) as T)
    },

    async count(name, range, limit) {
      const { filter, options } = countQuery(name, declaredAs(name), range, limit)
      const made = ready()
      if (made) await made
      return await collection.countDocuments(filter, options)
    },

    write,
  }
}
