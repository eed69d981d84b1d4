/** What keys may do. Contract, section 3. */
import { type Fault, fail, failIf } from '@millhand/api'

const resources = [
  'tasks',
  'models',
  'files',
  'instances',
  'workforce',
  'webhooks',
  'usage',
  'billing',
  'keys',
  'events',
] as const

const known: ReadonlySet<string> = new Set(['*', ...resources.flatMap(each => [`${each}:read`, `${each}:write`])])

/** Fails naming each scope that there is not. */
export function requireKnown(scopes: readonly string[]): void {
  const faults = scopes.flatMap((scope, at): Fault[] => {
    if (known.has(scope)) return []
    const param = `scopes[${at}]`
    return [{ param, code: 'not_in', message: `\`${param}\` must be one of ${[...known].join(', ')}.` }]
  })
  failIf(faults)
}

/** A caller gives away what it holds itself, and no more: `*` only who holds that. Fails with `insufficient_scope`. */
export function requireHeld(scopes: readonly string[], held: ReadonlySet<string>): void {
  const missing = held.has('*') ? undefined : scopes.find(scope => !held.has(scope))
  if (missing === undefined) return
  const detail = `Your key does not hold the scope \`${missing}\`, so it can’t give it to another.`
  throw fail('insufficient_scope', detail, { metadata: { scope: missing } })
}
