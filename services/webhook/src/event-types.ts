/** Which types of events endpoints can ask for. */

import { failFaults } from '@millhand/api'
import { eventTypes, patternFaults } from '@millhand/eventlog/event-types'

export { matches } from '@millhand/eventlog/event-types'

/** Fails with each pattern that asks for none of the types there are. `param` is where they are in the request. */
export function requirePatterns(param: string, patterns: readonly string[]): void {
  const [first, ...more] = patternFaults(param, patterns, known)
  if (first) throw failFaults([first, ...more])
}

/** Of the contract, section 9: endpoints can ask for them before the first one happens. */
const toCome = [
  'batch.completed',
  ...['queued', 'started', 'retrying', 'cancelling', 'succeeded', 'failed', 'cancelled', 'expired'].map(
    word => `workforce.task.${word}`,
  ),
  ...['pending', 'provisioning', 'running', 'scaled', 'stopping', 'failed', 'terminated'].map(
    word => `instance.${word}`,
  ),
  'quota.warning',
  'invoice.finalized',
]

const known: readonly string[] = [...eventTypes, ...toCome]
