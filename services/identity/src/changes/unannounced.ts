/** What gateways are told of: keys and accounts that have changed. */
import type { Index } from '@millhand/store'

/** Part of a document whose changes are told. */
export interface Announced {
  /** Set in the write of a change that gateways must hear of; taken off once the change has its number. */
  readonly unannounced?: 'yes' | undefined
  /** Milliseconds since 1970. */
  readonly created_at: number
}

/** The documents whose changes have no number yet. */
export const unannouncedIndex = {
  fields: ['created_at'],
  when: { field: 'unannounced', in: ['yes'] },
} as const satisfies Index
