/** A credit or a charge by an operator: an amount on the next invoice, with its reason and who posted it. */
import { createHash } from 'node:crypto'
import type { Family } from '@millhand/api'
import type { Collection, CollectionSpec, Document, Draft } from '@millhand/store'
import type { LineSum } from './line.ts'
import type { Month } from './month.ts'

/** Its id is made of its key: the same key posts once. Never changed. */
export interface CreditRecord extends Document {
  readonly family: Family
  /** Micro-dollars of the line: negative for a credit. */
  readonly micros: number
  readonly reason: string
  readonly by: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** In which it is billed. */
  readonly month: Month
}

export const creditsSpec = { name: 'billing_credits', indexes: {} } as const satisfies CollectionSpec

export type Credits = Pick<Collection<CreditRecord>, 'get' | 'find' | 'write'>

export const creditId = (tenant: string, key: string): string =>
  `credit_${createHash('sha256').update(`${tenant}/${key}`).digest('hex').slice(0, 26)}`

/** Each credit is a line of its own. */
export const creditLine = ({ id, family, micros, reason }: Draft<CreditRecord>): LineSum => ({
  ...{ family, kind: 'credit', of_time: id },
  ...{ quantity: 1, micros, would_micros: micros, reason },
})
