import type { DescEnum } from '@bufbuild/protobuf'

/** An enum's words in public JSON, by number: `TASK_STATUS_QUEUED` is `queued`. The unspecified value has none. */
export function enumWords(desc: DescEnum): ReadonlyMap<number, string> {
  const prefix = desc.sharedPrefix?.toUpperCase() ?? ''
  const named = desc.values.filter(({ number }) => number !== 0)
  return new Map(named.map(({ number, name }) => [number, name.slice(prefix.length).toLowerCase()]))
}
