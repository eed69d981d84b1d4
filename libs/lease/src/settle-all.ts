import type { Work } from './work.ts'

/** Of which work a change failed, and why. */
export class FailedChange {
  readonly work: Named
  readonly reason: unknown
  constructor(work: Named, reason: unknown) {
    this.work = work
    this.reason = reason
  }
}

type Named = Pick<Work, 'id' | 'traceparent'>

/** Rejects with a `FailedChange` where the change rejects. */
export const changeOf = <R>(work: Named, change: Promise<R>): Promise<R> =>
  change.catch(reason => {
    throw new FailedChange(work, reason)
  })

/** What came of those that did not fail, once all have ended; why others did is added to `failures`. */
export async function settleAll<R>(all: readonly Promise<R>[], failures: unknown[]): Promise<R[]> {
  const results = await Promise.allSettled(all)
  for (const result of results) if (result.status === 'rejected') failures.push(result.reason)
  return results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
}
