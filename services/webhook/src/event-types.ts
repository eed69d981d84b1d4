/** Which types of events endpoints can ask for. */

import type { Fault } from '@millhand/api'
import { eventTypes, patternFaults } from '@millhand/eventlog/event-types'

export { matches } from '@millhand/eventlog/event-types'

/** What stands against patterns that ask for none of the types there are. `param` is where they are in the request. */
export const typeFaults = (param: string, patterns: readonly string[]): Fault[] =>
  patternFaults(param, patterns, askable)

/** Of the contract, section 9: endpoints can ask for them before the first one happens. */
const toCome = [
  'batch.completed',
  // The states of section 4, and what is said of one that has been scaled.
  ...['pending', 'provisioning', 'running', 'scaling', 'scaled', 'degraded', 'terminating', 'terminated', 'failed'].map(
    word => `instance.${word}`,
  ),
  'invoice.finalized',
]

/** All that can be. */
export const askable: readonly string[] = [...eventTypes, ...toCome]
