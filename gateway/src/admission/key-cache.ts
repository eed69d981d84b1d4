/** A cache of API keys and their holders: each is looked up in identity once, and kept until identity reports a change. */
import type { Client } from '@connectrpc/connect'
import { fail, hasValidChecksum, type KeyName, keyRefOf } from '@millhand/api'
import type { IdentityService, KeyHolder } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Clock } from '@millhand/process'
import { type Holder, holderOf } from './caller.ts'
import { type ChangeSet, concerns } from './caller-changes.ts'

export interface PresentedKey {
  readonly key: string
  /** SHA-256 in base64. */
  readonly digest: string
}

export interface KeyCache {
  /**
   * The holder of a key; no promise where it is cached.
   * Fails with `invalid_credentials`, or with `unavailable` while identity can't be reached: a stale entry is never used.
   */
  byKey(presented: PresentedKey): Holder | Promise<Holder>
  /** The same by the key's id: for a stream token, which was made with a key. */
  byName(name: KeyName): Holder | Promise<Holder>
  /** Has entries that a change concerns looked up again. */
  invalidate(changed: ChangeSet): void
}

interface Deps {
  readonly identity: Client<typeof IdentityService>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Whether the change feed is up to date. While it is not, each request looks its key up. */
  isFeedCurrent(): boolean
}

export function createKeyCache({ identity, clock, isFeedCurrent }: Deps): KeyCache {
  // By the key's digest, or by its name.
  const cached = new Map<string, CachedHolder>()
  const unknown = new Map<string, UnknownKey>()
  const pending = new Map<string, { readonly at: number; readonly answer: Promise<Holder> }>()
  /** For each lookup that runs: the changes since it began. */
  const runningLookups = new Set<ChangeSet[]>()

  async function lookUp(cacheKey: string, key: KeyQuery): Promise<Holder> {
    const requestedAt = clock.monotonic()
    const changes: ChangeSet[] = []
    runningLookups.add(changes)
    let keyHolder: KeyHolder | undefined
    try {
      keyHolder = (await identity.authenticateKey({ key }, { timeoutMs: TIMEOUT_MS })).holder
    } catch (cause) {
      throw fail('unavailable', 'Keys can not be checked at the moment.', { cause })
    } finally {
      runningLookups.delete(changes)
    }
    const holder = keyHolder && holderOf(keyHolder)
    // The answer may be older than the change. Requests that joined the lookup wait for the next one, too.
    if (holder && changes.some(changed => concerns(changed, holder.caller))) return await lookUp(cacheKey, key)
    cached.delete(cacheKey)
    unknown.delete(cacheKey)
    if (holder === undefined) {
      put(unknown, cacheKey, { requestedAt, isUsed: false }, MAX_UNKNOWN)
      throw unknownKeyError()
    }
    put(cached, cacheKey, { holder, isUsed: false }, MAX_KNOWN)
    return holder
  }

  /** Concurrent requests with one key share a lookup. */
  function lookUpOnce(cacheKey: string, key: KeyQuery): Promise<Holder> {
    const now = clock.monotonic()
    const running = pending.get(cacheKey)
    if (running !== undefined && now - running.at < JOIN_MS) return running.answer
    const answer = lookUp(cacheKey, key).finally(() => {
      if (pending.get(cacheKey)?.answer === answer) pending.delete(cacheKey)
    })
    pending.set(cacheKey, { at: now, answer })
    return answer
  }

  function find(cacheKey: string): Holder | undefined {
    const entry = cached.get(cacheKey)
    if (entry !== undefined && isFeedCurrent()) {
      entry.isUsed = true
      return entry.holder
    }
    const negative = unknown.get(cacheKey)
    if (negative === undefined || clock.monotonic() - negative.requestedAt >= UNKNOWN_MS) return undefined
    negative.isUsed = true
    throw unknownKeyError()
  }

  return {
    byKey({ key, digest }) {
      const holder = find(digest)
      if (holder !== undefined) return holder
      // Only now: a cached key had the right one.
      if (!hasValidChecksum(key)) throw fail('invalid_credentials', 'The key is misspelt: its checksum is wrong.')
      return lookUpOnce(digest, { case: 'keySha256', value: Buffer.from(digest, 'base64') })
    },

    byName(name) {
      const cacheKey = `${name.accountId}/${name.mode}/${name.keyId}`
      const holder = find(cacheKey)
      if (holder !== undefined) return holder
      return lookUpOnce(cacheKey, { case: 'keyRef', value: keyRefOf(name) })
    },

    invalidate(changed) {
      for (const changes of runningLookups) changes.push(changed)
      for (const [cacheKey, { holder }] of cached) if (concerns(changed, holder.caller)) cached.delete(cacheKey)
    },
  }
}

const TIMEOUT_MS = 5_000
/** A request joins a lookup that is not older: the answer may be as old as the lookup. */
const JOIN_MS = 500
/** How long an unknown key is not looked up again. */
const UNKNOWN_MS = 500
const MAX_KNOWN = 20_000
// Few: a caller that guesses keys must not fill the memory.
const MAX_UNKNOWN = 1_000

type KeyQuery = NonNullable<Parameters<Client<typeof IdentityService>['authenticateKey']>[0]['key']>

interface Entry {
  /** Whether it was used since it was last considered for eviction. */
  isUsed: boolean
}

interface CachedHolder extends Entry {
  readonly holder: Holder
}

interface UnknownKey extends Entry {
  /** By the monotonic clock, before the lookup was sent. */
  readonly requestedAt: number
}

const unknownKeyError = () => fail('invalid_credentials', 'The key is unknown.')

/**
 * Adds an entry, and evicts one when there are more than `max`: the oldest that was not used since it was last passed
 * over, which is nearly the least recently used ("second chance").
 */
function put<E extends Entry>(entries: Map<string, E>, cacheKey: string, entry: E, max: number) {
  entries.set(cacheKey, entry)
  if (entries.size <= max) return
  for (const [oldest, candidate] of entries) {
    entries.delete(oldest)
    if (!candidate.isUsed) return
    candidate.isUsed = false
    entries.set(oldest, candidate)
  }
}
