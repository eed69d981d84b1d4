/** Whom keys belong to: asked of identity once, and remembered until identity says that it has changed. */
import type { Client } from '@connectrpc/connect'
import { fail, hasValidChecksum, type KeyName, keyRefOf } from '@millhand/api'
import type { IdentityService, KeyHolder } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Clock } from '@millhand/runner'
import { type Holder, holderOf } from './caller.ts'
import { type Changed, concerns } from './changes.ts'

export interface PresentedKey {
  readonly key: string
  /** SHA-256 in base64. */
  readonly digest: string
}

export interface KnownKeys {
  /**
   * Whom a key belongs to; at once where that is remembered.
   * Fails with `invalid_credentials`, or with `unavailable` while identity can't be asked: an old answer is never used in
   * its place.
   */
  byKey(presented: PresentedKey): Holder | Promise<Holder>
  /** The same by the key's id, where something that was made with it is presented. */
  byName(name: KeyName): Holder | Promise<Holder>
  /** Has what has changed asked for again. */
  forget(changed: Changed): void
}

interface Deps {
  readonly identity: Client<typeof IdentityService>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Whether every change up to a moment ago was told. While not, each key is asked for at each request. */
  areChangesKnown(): boolean
}

export function createKnownKeys({ identity, clock, areChangesKnown }: Deps): KnownKeys {
  // By the key's digest, or by its name.
  const known = new Map<string, Known>()
  const unknown = new Map<string, Unknown>()
  const asked = new Map<string, { readonly at: number; readonly answer: Promise<Holder> }>()
  /** Of each question that waits for its answer: what has changed meanwhile. */
  const overtaken = new Set<Changed[]>()

  async function ask(question: string, key: Question): Promise<Holder> {
    const askedAt = clock.monotonic()
    const meanwhile: Changed[] = []
    overtaken.add(meanwhile)
    let told: KeyHolder | undefined
    try {
      told = (await identity.authenticateKey({ key }, { timeoutMs: TIMEOUT_MS })).holder
    } catch (cause) {
      throw fail('unavailable', 'Keys can not be checked at the moment.', { cause })
    } finally {
      overtaken.delete(meanwhile)
    }
    const holder = told && holderOf(told)
    // It may be of the time before. Who joined the question after the change waits for this, too.
    if (holder && meanwhile.some(changed => concerns(changed, holder.caller))) return await ask(question, key)
    known.delete(question)
    unknown.delete(question)
    if (holder === undefined) {
      remember(unknown, question, { askedAt, isUsed: false }, MOST_UNKNOWN)
      throw unknownKey()
    }
    remember(known, question, { holder, isUsed: false }, MOST_KNOWN)
    return holder
  }

  /** Many requests with one key ask once. */
  function askOnce(question: string, key: Question): Promise<Holder> {
    const now = clock.monotonic()
    const other = asked.get(question)
    if (other !== undefined && now - other.at < JOIN_MS) return other.answer
    const answer = ask(question, key).finally(() => {
      if (asked.get(question)?.answer === answer) asked.delete(question)
    })
    asked.set(question, { at: now, answer })
    return answer
  }

  function remembered(question: string): Holder | undefined {
    const entry = known.get(question)
    if (entry !== undefined && areChangesKnown()) {
      entry.isUsed = true
      return entry.holder
    }
    const nobody = unknown.get(question)
    if (nobody === undefined || clock.monotonic() - nobody.askedAt >= UNKNOWN_MS) return undefined
    nobody.isUsed = true
    throw unknownKey()
  }

  return {
    byKey({ key, digest }) {
      const holder = remembered(digest)
      if (holder !== undefined) return holder
      // Only now: what is remembered had the right one.
      if (!hasValidChecksum(key)) throw fail('invalid_credentials', 'The key is misspelt: its checksum is wrong.')
      return askOnce(digest, { case: 'keySha256', value: Buffer.from(digest, 'base64') })
    },

    byName(name) {
      const question = `${name.accountId}/${name.mode}/${name.keyId}`
      const holder = remembered(question)
      if (holder !== undefined) return holder
      return askOnce(question, { case: 'keyRef', value: keyRefOf(name) })
    },

    forget(changed) {
      for (const meanwhile of overtaken) meanwhile.push(changed)
      for (const [question, { holder }] of known) if (concerns(changed, holder.caller)) known.delete(question)
    },
  }
}

const TIMEOUT_MS = 5_000
/** Who asks joins a question that is not older: its answer may be of the time when it was asked. */
const JOIN_MS = 500
/** How long a key that nobody has made is not asked for again. */
const UNKNOWN_MS = 500
const MOST_KNOWN = 20_000
// Few: someone who guesses keys must not fill the memory.
const MOST_UNKNOWN = 1_000

type Question = NonNullable<Parameters<Client<typeof IdentityService>['authenticateKey']>[0]['key']>

interface Entry {
  /** Whether it was used since it was last looked at for being thrown away. */
  isUsed: boolean
}

interface Known extends Entry {
  readonly holder: Holder
}

interface Unknown extends Entry {
  /** By the monotonic clock, before the question was sent. */
  readonly askedAt: number
}

const unknownKey = () => fail('invalid_credentials', 'The key is unknown.')

/**
 * Adds an entry, and throws one away when there are more than `most`: the oldest that was not used since it was last
 * passed over, which is nearly the longest unused and costs a used one nothing ("second chance").
 */
function remember<E extends Entry>(entries: Map<string, E>, question: string, entry: E, most: number) {
  entries.set(question, entry)
  if (entries.size <= most) return
  for (const [oldest, passed] of entries) {
    entries.delete(oldest)
    if (!passed.isUsed) return
    passed.isUsed = false
    entries.set(oldest, passed)
  }
}
