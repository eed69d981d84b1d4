/** How far consumer groups are behind, by the broker's own count: also of one whose members have all gone or read nothing. */
import type { Admin } from 'kafkajs'
import type { Connecting } from './client.ts'
import { withAdmin } from './topics.ts'

/** For each group the messages of its topics beyond those that it has committed. Fails where the broker can't be asked. */
export async function lagOf(
  connecting: Connecting,
  groups: ReadonlyMap<string, readonly string[]>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  if (groups.size === 0) return new Map()
  return await withAdmin(connecting, signal, async admin => {
    const there = new Set(await admin.listTopics())
    const lags = [...groups].map(async ([group, topics]) => {
      const existing = topics.filter(topic => there.has(topic))
      return [group, await lagOfGroup(admin, group, existing)] as const
    })
    return new Map(await Promise.all(lags))
  })
}

async function lagOfGroup(admin: Admin, groupId: string, topics: readonly string[]): Promise<number> {
  if (topics.length === 0) return 0
  const committed = await admin.fetchOffsets({ groupId, topics: [...topics] })
  const ends = await Promise.all(topics.map(async topic => [topic, await admin.fetchTopicOffsets(topic)] as const))
  let lag = 0
  for (const [topic, partitions] of ends) {
    const read = committed.find(each => each.topic === topic)?.partitions ?? []
    for (const { partition, low, high } of partitions) {
      // -1 where the group has committed none: it begins at the first that is there.
      const next = Number(read.find(each => each.partition === partition)?.offset ?? -1)
      lag += Math.max(0, Number(high) - Math.max(next, Number(low)))
    }
  }
  return lag
}
