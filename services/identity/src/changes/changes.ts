/**
 * The sequence of changes of keys, or of accounts, as gateways ask for it. docs/decisions/admission.md.
 *
 * A change marks its document in its own write, so nothing that was changed can be forgotten. Whoever asks for the changes
 * first gives a number to all that is marked: it puts the ids behind those in one document, by compare-and-set, and only
 * then takes the marks off. So the numbers have no gaps, none is ever used twice, and an id that is added later has a
 * number above all that anybody has read. Whoever dies in between leaves marks, and the ids get another number.
 *
 * The number could not be a field of the changed document under a unique index: a document that changes again takes
 * the next number and leaves its old one free, for a writer that had looked before to take, behind the back of who has
 * read past it.
 */
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'
import type { Announced } from './unannounced.ts'

export interface ChangesRecord extends Document {
  /** The number of the last of `ids`; the one before it has one less. */
  readonly last: number
  /** The latest, at most `MOST_TOLD`. */
  readonly ids: readonly string[]
}

export const changesSpec = { name: 'key_changes', indexes: {} } as const satisfies CollectionSpec

interface Told {
  /** Up to which this tells; 0 before the first. */
  readonly last: number
  /** What has changed, each once. */
  readonly ids: readonly string[]
  /** There were more than can be told: anything may have changed. */
  readonly everything: boolean
}

export interface Changes {
  /** What has changed after a number; without one only the last number is told. It tells all that was answered before the call. */
  after(number: number | undefined): Promise<Told>
}

export interface ChangesDeps<T extends Document & Announced> {
  /** What is told: its name in the collection of changes. */
  readonly name: string
  readonly documents: Pick<Collection<T, 'unannounced'>, 'find' | 'write'>
  readonly changes: Pick<Collection<ChangesRecord>, 'get' | 'write'>
}

/** More than change in the seconds that a gateway may miss: it forgets everything then, which costs a look-up each. */
export const MOST_TOLD = 1_000

export function createChanges<T extends Document & Announced>({ name, documents, changes }: ChangesDeps<T>): Changes {
  /** Numbers all that is marked. */
  const announce = async () => {
    for (;;) {
      const marked = await documents.find('unannounced', { equals: [], limit: AT_ONCE })
      if (marked.length === 0) return
      if (!(await append(marked.map(({ id }) => id)))) continue // Somebody else has, maybe of the same.
      await Promise.all(marked.map(unmark))
      if (marked.length < AT_ONCE) return
    }
  }

  const append = async (added: readonly string[]): Promise<boolean> => {
    const before = await changes.get(noAccount, name)
    const last = (before?.last ?? 0) + added.length
    const ids = [...(before?.ids ?? []), ...added].slice(-MOST_TOLD)
    const document = { tenant: noAccount, id: name, last, ids }
    const change = before
      ? ({ kind: 'replace', version: before.version, document, events: [] } as const)
      : ({ kind: 'insert', document, events: [] } as const)
    return (await changes.write(change)).kind === 'written'
  }

  /** Where it has changed meanwhile it keeps its mark: that change has no number yet. */
  const unmark = ({ version, ...marked }: T) =>
    documents.write({ kind: 'replace', version, document: { ...marked, unannounced: undefined }, events: [] })

  return {
    async after(number) {
      await announce()
      const { last = 0, ids = [] } = (await changes.get(noAccount, name)) ?? {}
      if (number === undefined) return { last, ids: [], everything: false }
      const missed = last - number
      if (missed < 0 || missed > ids.length) return { last, ids: [], everything: true }
      return { last, ids: [...new Set(ids.slice(ids.length - missed))], everything: false }
    },
  }
}

const AT_ONCE = 200
