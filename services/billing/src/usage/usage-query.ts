/** What a tenant's tasks used within whole hours. */
import { type Entries, entriesBetween } from './usage-entry.ts'
import { HOUR_MS, type HourRecord, type Hours, hourId, rest } from './usage-hour.ts'
import { addEntry, addSum, type Line, nothing, type Sum, SumsByKey } from './usage-sum.ts'

/** What sums can be told by. */
export type GroupBy = 'day' | 'model' | 'type' | 'gpu_type'

export interface UsageSums {
  readonly total: Sum
  /** In the order of the keys; none where nothing was asked to be told by. */
  readonly groups: readonly (readonly [key: string, sum: Sum])[]
}

export interface UsageQuery {
  readonly tenant: string
  /** Both the beginning of an hour. */
  readonly start: number
  readonly end: number
  readonly groupBy: GroupBy | undefined
}

/** How many hours are read at once: some 5 ms of the event loop. */
const PAGE = 500

/**
 * Sums what is summed, and of the hours that are not, their entries. What ends meanwhile is in it or not; a task that
 * is in it is in it once.
 */
export async function readUsage(stores: { entries: Entries; hours: Hours }, query: UsageQuery): Promise<UsageSums> {
  const { entries, hours } = stores
  const { tenant, groupBy } = query
  const total = nothing()
  const groups = new SumsByKey<string>()
  for await (const hour of hoursBetween(hours, query)) {
    const group = (kind: Pick<Line, 'model' | 'type' | 'gpu_type'>) =>
      groupBy && groups.at(groupBy === 'day' ? hour.id.slice(0, 10) : kind[groupBy])
    for (const line of hour.lines) {
      addSum(total, line)
      const sum = group(line)
      if (sum) addSum(sum, line)
    }
    const { start, end } = rest(hour)
    if (start === end) continue
    for await (const page of entriesBetween(entries, tenant, start, end)) {
      for (const entry of page) {
        addEntry(total, entry)
        const sum = group(entry)
        if (sum) addEntry(sum, entry)
      }
    }
  }
  return { total, groups: [...groups.sums].sort(([a], [b]) => (a < b ? -1 : 1)) }
}

async function* hoursBetween(hours: Hours, { tenant, start, end }: UsageQuery): AsyncGenerator<HourRecord> {
  for (let after = hourId(start - HOUR_MS); ; ) {
    const page = await hours.find('primary', { equals: [tenant], after: [after], before: [hourId(end)], limit: PAGE })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.id
  }
}
