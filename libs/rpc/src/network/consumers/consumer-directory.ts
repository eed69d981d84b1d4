/** The credentials of internal consumers, as this process knows them from identity, and the calls that they have open. */
import { timingSafeEqual } from 'node:crypto'
import type { DescMethod } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { fail, hashOfKey, isConsumerSecret } from '@millhand/api'
import type {
  ConsumerCredential,
  ConsumerDirectoryService,
} from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import type { AccountPlans } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import { type Clock, everyInterval } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../../principal.ts'
import {
  type ConsumerTarget,
  consumerPrincipal,
  requireAccount,
  requireLiving,
  requireMethod,
  targetOf,
} from './consumer-principal.ts'

export interface ConsumerDirectory {
  /**
   * Who calls with this secret. Waits for identity where the secret or the account is not known yet.
   *
   * @throws ConnectError of the catalogue
   */
  admit(secret: string, method: DescMethod, header: Pick<Headers, 'get'>): Promise<Principal>
  /** Whether a credential with this secret may call at all: it may then read descriptors. @throws ConnectError */
  recognize(secret: string): Promise<ConsumerCredential>
  /** Calls `end` once the credential, or the account, does not allow the call any more. Returns what to call when it is over. */
  watch(caller: Principal, method: DescMethod, end: (reason: unknown) => void): () => void
  /** Asks identity every 5 s until the signal ends. */
  run(signal: AbortSignal): Promise<void>
}

export interface ConsumerDirectoryDeps {
  readonly identity: Pick<Client<typeof ConsumerDirectoryService>, 'syncConsumers'>
  readonly clock: Clock
  readonly log: Log
}

const EVERY_MS = 5_000
/** What is older says too little of who was revoked since. */
const STALE_MS = 60_000
/** Credentials that are not known are asked for at once, but not more often than this: anyone can send them. */
const SPACING_MS = 100
const TIMEOUT_MS = 3_000
/** Accounts that are asked for with every round: those of the last minute, at most as many as one request takes. */
const MOST_ACCOUNTS = 1_000

interface OpenCall {
  readonly caller: Principal
  readonly method: DescMethod
  readonly end: (reason: unknown) => void
}

export function createConsumerDirectory({ identity, clock, log }: ConsumerDirectoryDeps): ConsumerDirectory {
  let credentials: readonly ConsumerCredential[] = []
  let accounts: ReadonlyMap<string, AccountPlans> = new Map()
  let knownAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  /** When each account was last named. */
  const named = new LRUCache<string, number>({ max: MOST_ACCOUNTS })
  const uses = new Map<string, number>()
  const open = new Set<OpenCall>()
  let waiting: Promise<void> | undefined

  const ask = async (): Promise<void> => {
    const begin = clock.monotonic()
    askedAt = begin
    for (const { caller } of open) named.set(caller.accountId, begin)
    for (const [id, at] of [...named.entries()]) if (begin - at > STALE_MS) named.delete(id)
    const told = [...uses].map(([consumerId, at]) => ({ consumerId, usedAt: timestampFromMs(at) }))
    uses.clear()
    const request = { accountIds: [...named.keys()], uses: told }
    const answer = await identity.syncConsumers(request, { timeoutMs: TIMEOUT_MS })
    // Of two at once the one that began later knows more.
    if (begin < knownAt) return
    knownAt = begin
    credentials = answer.credentials
    accounts = new Map(answer.accounts.map(account => [account.id, account]))
  }

  const refresh = async (): Promise<void> => {
    try {
      await ask()
      if (hasFailed) log.info('consumers.known')
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn('consumers.unknown', { error })
      hasFailed = true
      throw unavailable(error)
    }
  }

  /** Asks anew. Those who wait for it at once share one request, which begins after all of them came. */
  const refreshSoon = (spacingMs: number): Promise<void> => {
    waiting ??= (async () => {
      const pause = askedAt + spacingMs - clock.monotonic()
      if (pause > 0) await new Promise<void>(resolve => clock.timer(pause, resolve))
      else await undefined
      waiting = undefined
      await refresh()
    })()
    return waiting
  }

  const isStale = () => clock.monotonic() - knownAt > STALE_MS

  const find = (digest: Uint8Array): ConsumerCredential | undefined => {
    let found: ConsumerCredential | undefined
    for (const each of credentials) if (timingSafeEqual(each.sha256, digest)) found = each
    return found
  }

  const recognize = async (secret: string): Promise<ConsumerCredential> => {
    if (!isConsumerSecret(secret)) throw invalid()
    const digest = hashOfKey(secret)
    if (find(digest) === undefined || isStale()) await refreshSoon(SPACING_MS)
    const credential = find(digest)
    if (credential === undefined) throw invalid()
    requireLiving(credential, clock.now())
    return credential
  }

  /** Of what is known now. */
  const judge = (credential: ConsumerCredential, method: DescMethod, target: ConsumerTarget) => {
    requireLiving(credential, clock.now())
    requireMethod(credential, method)
    requireAccount(credential, target)
    const account = accounts.get(target.accountId)
    return account && consumerPrincipal(credential, account, target)
  }

  const reasonToEnd = ({ caller, method }: OpenCall): unknown => {
    if (isStale()) return unavailable()
    const credential = credentials.find(({ id }) => id === caller.keyId)
    if (credential === undefined) return invalid()
    try {
      judge(credential, method, caller)
      return undefined
    } catch (error) {
      return error
    }
  }

  return {
    recognize,
    async admit(secret, method, header) {
      const credential = await recognize(secret)
      requireMethod(credential, method)
      const target = targetOf(header)
      requireAccount(credential, target)
      named.set(target.accountId, clock.monotonic())
      if (!accounts.has(target.accountId)) await refreshSoon(0)
      const caller = judge(credential, method, target)
      if (caller === undefined) throw fail('not_found', `There is no account ${target.accountId}.`)
      uses.set(credential.id, clock.now())
      return caller
    },
    watch(caller, method, end) {
      const call = { caller, method, end }
      open.add(call)
      return () => void open.delete(call)
    },
    run: signal =>
      everyInterval(clock, EVERY_MS, signal, async () => {
        await refresh().catch(() => {})
        for (const call of open) {
          const reason = reasonToEnd(call)
          if (reason !== undefined) call.end(reason)
        }
      }),
  }
}

const invalid = () => fail('invalid_credentials', 'There is no consumer with this credential.')

const unavailable = (cause?: unknown) =>
  fail('unavailable', 'Credentials of consumers can’t be checked now: identity does not answer.', {
    retryAfterS: 1,
    ...(cause !== undefined && { cause }),
  })
