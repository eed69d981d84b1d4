/** A collection in memory, each read and write of which happens when the schedule says so. */
import type { Change, Collection, CollectionSpec, Document, Index, Query } from '@millhand/store'
import type { Scheduler } from 'fast-check'

export interface Scheduled<T extends Document, I extends string> {
  /** As one of several processes sees it: it rejects with `Died` once it has been asked `dies` times. */
  seenBy(dies?: number): Collection<T, I>
  /** What it holds now. */
  readonly documents: ReadonlyMap<string, T>
}

export class Died extends Error {}

export function scheduledCollection<T extends Document, I extends string>(
  schedule: Scheduler,
  spec: CollectionSpec<I>,
): Scheduled<T, I> {
  const documents = new Map<string, T>()
  const keyOf = ({ tenant, id }: { readonly tenant: string; readonly id: string }) => `${tenant}/${id}`

  const write = (change: Change<T>) => {
    const key = keyOf(change.kind === 'remove' ? change : change.document)
    const before = documents.get(key)?.version
    if (before !== (change.kind === 'insert' ? undefined : change.version)) {
      return { kind: 'conflict', index: change.kind === 'insert' ? 'primary' : 'version' } as const
    }
    const version = (before ?? 0) + 1
    if (change.kind === 'remove') documents.delete(key)
    else documents.set(key, { ...change.document, version } as T)
    return { kind: 'written', version } as const
  }

  const inIndex = (name: string, { limit }: Query) => {
    const { when }: Index = (spec.indexes as Readonly<Record<string, Index>>)[name] ?? { fields: [] }
    const passes = (document: object) => !when || when.in.includes(Reflect.get(document, when.field))
    return [...documents.values()].filter(passes).slice(0, limit)
  }

  return {
    documents,
    seenBy(dies = Number.POSITIVE_INFINITY) {
      let asked = 0
      const turn = async <R>(name: string, act: () => R): Promise<R> => {
        if (asked++ >= dies) throw new Died()
        await schedule.schedule(Promise.resolve(), name)
        return act()
      }
      return {
        get: (tenant, id) => turn('get', () => documents.get(keyOf({ tenant, id }))),
        find: (index, query) => turn('find', () => inIndex(index, query)),
        count: () => turn('count', () => documents.size),
        write: change => turn(change.kind, () => write(change)),
      }
    },
  }
}
