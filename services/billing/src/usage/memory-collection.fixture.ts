/**
 * Collections in memory, whose every call can be held up and can fail: before it is done, or when only its answer is
 * lost. They keep the promises of `Collection` as far as usage goes.
 */
import type { Change, Collection, CollectionSpec, Document, Index, Query, Scalar, WriteResult } from '@millhand/store'

/** Called before and after each call does its work; what it throws is what the caller gets. */
export type Interrupt = (call: string) => Promise<void>

export function memoryCollection<T extends Document, I extends string>(
  spec: CollectionSpec<I>,
  interrupt: Interrupt,
): Pick<Collection<T, I>, 'get' | 'find' | 'write'> {
  const documents = new Map<string, T>()
  const indexes = new Map<string, Index>([['primary', { fields: [] }], ...Object.entries<Index>(spec.indexes)])

  function found(name: string, { equals, after, before, order, limit }: Query): T[] {
    const { fields, when } = indexes.get(name) as Index
    const key = [...new Set([...fields, 'tenant', 'id'])]
    const valuesOf = (document: T) => key.map(field => (document as unknown as Record<string, Scalar>)[field] as Scalar)
    const isIn = (document: T) => !when || when.in.includes(String((document as Record<string, unknown>)[when.field]))
    const rows = [...documents.values()].filter(isIn).map(document => ({ document, values: valuesOf(document) }))
    const matching = rows.filter(({ values }) => {
      const rest = values.slice(equals.length)
      return (
        equals.every((value, place) => values[place] === value) &&
        (after === undefined || compare(rest, after) > 0) &&
        (before === undefined || compare(rest, before) < 0)
      )
    })
    matching.sort((a, b) => compare(a.values, b.values) * (order === 'desc' ? -1 : 1))
    return matching.slice(0, limit).map(({ document }) => document)
  }

  function changed(change: Change<T>): WriteResult {
    const { tenant, id } = change.kind === 'remove' ? change : change.document
    const key = `${tenant}/${id}`
    const there = documents.get(key)
    if (change.kind === 'insert') {
      if (there) return { kind: 'conflict', index: 'primary' }
    } else if (there?.version !== change.version) return { kind: 'conflict', index: 'version' }
    if (change.kind === 'remove') {
      documents.delete(key)
      return { kind: 'written', version: change.version }
    }
    const version = (there?.version ?? 0) + 1
    documents.set(key, { ...change.document, version } as T)
    return { kind: 'written', version }
  }

  async function interrupted<R>(call: string, work: () => R): Promise<R> {
    await interrupt(call)
    const result = work()
    await interrupt(call)
    return result
  }

  return {
    get: (tenant, id) => interrupted(`get ${spec.name}`, () => documents.get(`${tenant}/${id}`)),
    find: (name, query) => interrupted(`find ${spec.name}`, () => found(name, query)),
    write: change => interrupted(`${change.kind} ${spec.name}`, () => changed(change)),
  }
}

/** Of as many values as the shorter has. */
function compare(a: readonly Scalar[], b: readonly Scalar[]): number {
  for (let place = 0; place < Math.min(a.length, b.length); place++) {
    const [one, other] = [a[place] as Scalar, b[place] as Scalar]
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}
