/** Whom keys belong to, asked of identity and remembered for half a second: a revocation holds within a second. */
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { fail, hasValidChecksum } from '@millhand/api'
import type { ApiKey, IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import type { Principal } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'

export interface PresentedKey {
  readonly key: string
  /** SHA-256 in base64. */
  readonly digest: string
}

export interface KnownKeys {
  /**
   * The principal that a key acts as; at once where it is remembered.
   * Fails with `invalid_credentials`, `expired_credentials`, `revoked_credentials`, or with `unavailable` while identity
   * can't be asked: an old answer is never used in its place.
   */
  principalOf(presented: PresentedKey): Principal | Promise<Principal>
}

interface Deps {
  readonly identity: Client<typeof IdentityService>
  readonly clock: Clock
}

export function createKnownKeys({ identity, clock }: Deps): KnownKeys {
  // By the key's digest.
  const known = new Map<string, Answer>()
  const unknown = new Map<string, Answer>()
  const asked = new Map<string, Promise<Answer>>()

  async function ask(digest: string): Promise<Answer> {
    const askedAt = clock.monotonic()
    const { key } = await identity
      .authenticateKey({ keySha256: Buffer.from(digest, 'base64') }, { timeoutMs: TIMEOUT_MS })
      .catch(cause => {
        throw fail('unavailable', 'Keys can not be checked at the moment.', { cause })
      })
    const answer: Answer = key ? { askedAt, holder: holderOf(key) } : { askedAt }
    remember(unknown, digest, key ? undefined : answer, MOST_UNKNOWN)
    remember(known, digest, key ? answer : undefined, MOST_KNOWN)
    return answer
  }

  /** Many requests with one key ask once. */
  function askOnce(digest: string): Promise<Answer> {
    let answer = asked.get(digest)
    if (!answer) {
      answer = ask(digest).finally(() => asked.delete(digest))
      asked.set(digest, answer)
    }
    return answer
  }

  return {
    principalOf({ key, digest }) {
      const answer = known.get(digest) ?? unknown.get(digest)
      if (answer !== undefined && clock.monotonic() - answer.askedAt < LIFETIME_MS) {
        return principalIn(answer, clock.now())
      }
      // Only now: what is remembered had the right one.
      if (!hasValidChecksum(key)) throw fail('invalid_credentials', 'The key is misspelt: its checksum is wrong.')
      return askOnce(digest).then(answer => principalIn(answer, clock.now()))
    },
  }
}

const LIFETIME_MS = 500
const TIMEOUT_MS = 5000
const MOST_KNOWN = 10_000
// Few: someone who guesses keys must not fill the memory.
const MOST_UNKNOWN = 1_000

interface Answer {
  /** By the monotonic clock, before the question was sent. */
  readonly askedAt: number
  /** Absent where nobody has made the key. */
  readonly holder?: Holder
}

interface Holder {
  readonly principal: Principal
  /** Milliseconds since 1970; Infinity where the key does not end. */
  readonly expiresAt: number
  readonly isRevoked: boolean
}

function holderOf(key: ApiKey): Holder {
  const mode = key.mode === Mode.TEST ? 'test' : 'live'
  return {
    principal: {
      accountId: key.accountId,
      mode,
      tenant: `${key.accountId}/${mode}`,
      scopes: new Set(key.scopes),
      keyId: key.id,
    },
    expiresAt: key.expiresAt ? timestampMs(key.expiresAt) : Number.POSITIVE_INFINITY,
    isRevoked: key.revokedAt !== undefined,
  }
}

function principalIn({ holder }: Answer, now: number): Principal {
  if (!holder) throw fail('invalid_credentials', 'The key is unknown.')
  if (holder.isRevoked) throw fail('revoked_credentials', 'The key has been revoked.')
  if (holder.expiresAt <= now) throw fail('expired_credentials', 'The key has expired.')
  return holder.principal
}

/** Keeps the newest answer to a question, or none; the longest unasked goes first when there are more than `most`. */
function remember(answers: Map<string, Answer>, digest: string, answer: Answer | undefined, most: number) {
  answers.delete(digest)
  if (!answer) return
  answers.set(digest, answer)
  if (answers.size > most) answers.delete(answers.keys().next().value as string)
}
