/**
 * Measures several things in turn, A B C A B C, so that what the machine does meanwhile falls on all of them alike.
 * Each goes once before, uncounted, to warm up. Resolves with one value a round for each, in the order of the rounds.
 */
export async function alternate<Contestants extends Record<string, () => Promise<unknown>>>(
  rounds: number,
  contestants: Contestants,
): Promise<{ [Name in keyof Contestants]: Awaited<ReturnType<Contestants[Name]>>[] }> {
  const names = Object.keys(contestants)
  const values: Record<string, unknown[]> = Object.fromEntries(names.map(name => [name, []]))
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const value = await contestants[name]?.()
      if (round >= 0) values[name]?.push(value)
    }
  }
  return values as { [Name in keyof Contestants]: Awaited<ReturnType<Contestants[Name]>>[] }
}
