/** What came of those that did not fail, once all have ended; why others did is added to `failures`. */
export async function settleAll<R>(all: readonly Promise<R>[], failures: unknown[]): Promise<R[]> {
  const results = await Promise.allSettled(all)
  for (const result of results) if (result.status === 'rejected') failures.push(result.reason)
  return results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
}
