/** Which types of events endpoints can ask for. */

import type { Fault } from '@millhand/api'
import { eventTypes, patternFaults } from '@millhand/eventlog/event-types'

export { matches } from '@millhand/eventlog/event-types'

/** What stands against patterns that ask for none of the types there are. `param` is where they are in the request. */
export const typeFaults = (param: string, patterns: readonly string[]): Fault[] =>
  patternFaults(param, patterns, askable)

/** All that can be. */
export const askable: readonly string[] = eventTypes
