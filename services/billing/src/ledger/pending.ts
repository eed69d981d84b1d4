/**
 * The entries of a ledger's latest posting, until they are stored. The ledger keeps them packed: every bill reads it, and
 * none reads them. Packed, a thousand are some 40 KiB, which a bill skips as one text.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Draft } from '@millhand/store'
import type { EntryRecord } from '../usage/usage-entry.ts'
import type { UsageFamily } from './charges.ts'

export interface PendingEntry {
  readonly family: UsageFamily
  readonly entry: Draft<EntryRecord>
}

/** Base64 of deflated JSON; empty for none. */
export const packPending = (entries: readonly PendingEntry[]): string =>
  entries.length === 0 ? '' : deflateRawSync(JSON.stringify(entries), FAST).toString('base64')

/** Earlier versions did not pack them. */
export function unpackPending(packed: string | readonly PendingEntry[]): readonly PendingEntry[] {
  if (typeof packed !== 'string') return packed
  return packed === '' ? [] : JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString())
}

/** The next levels take twice the time for a fifth less. */
const FAST = { level: 1 }
