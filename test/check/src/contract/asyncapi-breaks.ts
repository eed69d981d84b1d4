import { asJson, type Json, resolved, schemaBreaks } from './schema-breaks.ts'

/** What an AsyncAPI document took away from those who consume by an earlier one. Additions are no break. */
export function asyncapiBreaks(released: Json, now: Json): string[] {
  const channels = new Map(
    Object.values(asJson(now.channels)).map(channel => [asJson(channel).address, asJson(channel)]),
  )
  return Object.values(asJson(released.channels)).flatMap(channel => {
    const { address, messages } = asJson(channel)
    const found = channels.get(address)
    if (found === undefined) return [`${address}: is gone`]
    const others = asJson(found.messages)
    return Object.entries(asJson(messages)).flatMap(([type, message]) => {
      const path = `${address}, ${type}`
      if (!(type in others)) return [`${path}: is gone`]
      const [before, after] = [resolved(message, released), resolved(others[type], now)]
      return ['headers', 'payload'].flatMap(part =>
        schemaBreaks(before[part], after[part], { released, now, isSent: false }, `${path}, ${part}`),
      )
    })
  })
}
