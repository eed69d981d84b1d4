/** Names to addresses, by the DNS alone: neither the machine's own files nor its search domains are asked. */

import { Resolver as Dns } from 'node:dns/promises'
import type { Clock } from '@millhand/process'
import { LRUCache } from 'lru-cache'
import { DialFailure } from './failure.ts'

export interface Resolver {
  /** All addresses of a name, at least one; nobody has checked them. Fails with `dns_failed` or `dns_unavailable`. */
  addresses(name: string): Promise<readonly string[]>
  /**
   * Whether it is one name that can't be looked up or any: a resolver that works knows the root, or that there is none for
   * it. A name whose own servers are dead shows as a time-out or a SERVFAIL, just as a resolver that is cut off does.
   */
  works(): Promise<boolean>
  /** Idempotent. Look-ups that are under way fail. */
  close(): void
}

export interface ResolverOptions {
  readonly clock: Clock
  /** Addresses of DNS servers, with a port where it is not 53; the machine's own (`/etc/resolv.conf`) without. */
  readonly servers?: readonly string[]
  /** Until a server is asked again; then twice as long until it is given up. In milliseconds. */
  readonly timeoutMs?: number
}

/** Keeps answers for as long as their TTL says, at most 30 s: so long a name that has moved is dialled where it was. */
export function createResolver({ clock, servers, timeoutMs = 1_500 }: ResolverOptions): Resolver {
  const dns = new Dns({ timeout: timeoutMs, tries: 2 })
  if (servers !== undefined) dns.setServers(servers)
  const known = new LRUCache<string, { answer: Promise<readonly string[]>; until: number }>({ max: MAX_NAMES })
  return {
    addresses(name) {
      const kept = known.get(name)
      if (kept !== undefined && clock.monotonic() < kept.until) return kept.answer
      // Who asks while it is being looked up waits for the same answer.
      const entry = { answer: lookUp(), until: Number.POSITIVE_INFINITY }
      known.set(name, entry)
      return entry.answer

      async function lookUp() {
        let keepMs = 0
        try {
          const records = await ask(dns, name, clock)
          if (records.length <= MAX_KEPT) keepMs = Math.min(LONGEST_KEPT_MS, ...records.map(({ ttl }) => ttl * 1000))
          return records.map(({ address }) => address)
        } finally {
          entry.until = clock.monotonic() + keepMs
          if (keepMs === 0 && known.get(name) === entry) known.delete(name)
        }
      }
    },
    works: () => works(dns),
    close: () => dns.cancel(),
  }
}

const MAX_NAMES = 10_000
/** Addresses of a name whose answer is kept. An answer over TCP can have 4,000, and who has a domain has any number of names. */
const MAX_KEPT = 64
const LONGEST_KEPT_MS = 30_000

interface AddressRecord {
  readonly address: string
  readonly ttl: number
}

/** Both families at once. One that has none yet is not waited for long once the other has some (RFC 8305, section 3). */
async function ask(dns: Dns, name: string, clock: Clock): Promise<AddressRecord[]> {
  const records: AddressRecord[] = []
  const collect = async (answer: Promise<AddressRecord[]>) => {
    records.push(...(await answer))
  }
  const both = [collect(dns.resolve4(name, { ttl: true })), collect(dns.resolve6(name, { ttl: true }))]
  const all = Promise.allSettled(both)
  await Promise.any(both).catch(() => {})
  const late = Promise.withResolvers<void>()
  const timer = clock.timer(SECOND_FAMILY_MS, late.resolve)
  if (records.length > 0) await Promise.race([all, late.promise])
  timer.cancel()
  if (records.length > 0) return records

  const codes = (await all).map(result => (result.status === 'rejected' ? codeOf(result.reason) : ''))
  if (codes.includes('ENOTFOUND')) throw new DialFailure('dns_failed', 'the name does not exist')
  if (codes.every(code => code === 'ENODATA')) throw new DialFailure('dns_failed', 'the name has no address')
  if (await works(dns)) throw new DialFailure('dns_failed', 'no server that knows the name answers')
  throw new DialFailure('dns_unavailable', 'no DNS server can be asked')
}

const SECOND_FAMILY_MS = 300

async function works(dns: Dns): Promise<boolean> {
  try {
    await dns.resolveNs('.')
    return true
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes(codeOf(error))
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
