/** What a key must be allowed to read to have an endpoint told of it: nobody hears what they could not ask for. */
import { fail } from '@millhand/api'

/** Lets its holder read every event, those of types to come too: `GET /v1/events`. */
const ALL_EVENTS = 'events:read'

/** By the first word of an event's type: the scope that shows the object which it is about. Contract, section 3. */
const scopes: Readonly<Record<string, string>> = {
  task: 'tasks:read',
  batch: 'tasks:read',
  model: 'models:read',
  workforce: 'workforce:read',
  instance: 'instances:read',
  quota: 'usage:read',
  invoice: 'billing:read',
  billing: 'billing:read',
  account: 'billing:read',
  key: 'keys:read',
  webhook: 'webhooks:read',
}

/** The scope that shows what a pattern of types asks for. */
export const scopeOf = (pattern: string): string => scopes[pattern.split('.', 1)[0] as string] ?? ALL_EVENTS

/** Fails with `insufficient_scope`, which names the types and what they take. */
export function requireReadable(patterns: readonly string[], held: ReadonlySet<string>): void {
  if (held.has('*') || held.has(ALL_EVENTS)) return
  const unreadable = patterns.filter(pattern => !held.has(scopeOf(pattern)))
  if (unreadable.length === 0) return
  const missing = [...new Set(unreadable.map(scopeOf))]
  const takes = missing.includes(ALL_EVENTS) ? [ALL_EVENTS] : missing
  const alternative = takes === missing ? `, or \`${ALL_EVENTS}\` for all events` : ''
  const detail = `To be told of ${quoted(unreadable)} takes ${quoted(takes)}${alternative}: the key does not hold it.`
  throw fail('insufficient_scope', detail, { metadata: { scope: takes.join(' ') } })
}

const quoted = (words: readonly string[]) => words.map(word => `\`${word}\``).join(', ')
