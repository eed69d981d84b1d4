/** What identity last said of internal consumers and of the accounts that they name. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type {
  ConsumerCredential,
  ConsumerDirectoryService,
} from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import type { AccountPlans } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { LRUCache } from 'lru-cache'

export interface ConsumerCopyDeps {
  readonly identity: Pick<Client<typeof ConsumerDirectoryService>, 'syncConsumers'>
  readonly clock: Clock
  readonly log: Log
  /** The accounts of calls that are open. */
  readonly openAccounts: () => readonly string[]
}

/** What is older says too little of who was revoked since. */
const STALE_MS = 60_000
const TIMEOUT_MS = 3_000
/** Accounts that are asked for with every round: those of the last minute and of open calls, at most as many as one request takes. */
const MOST_ACCOUNTS = 1_000

export function createConsumerCopy({ identity, clock, log, openAccounts }: ConsumerCopyDeps) {
  let credentials: readonly ConsumerCredential[] = []
  let accounts: ReadonlyMap<string, AccountPlans> = new Map()
  let knownAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  /** When each account was last named. */
  const named = new LRUCache<string, number>({ max: MOST_ACCOUNTS })
  const uses = new Map<string, number>()
  let waiting: Promise<void> | undefined

  const ask = async (): Promise<void> => {
    const begin = clock.monotonic()
    askedAt = begin
    for (const [id, at] of [...named.entries()]) if (begin - at > STALE_MS) named.delete(id)
    const told = [...uses].map(([consumerId, at]) => ({ consumerId, usedAt: timestampFromMs(at) }))
    uses.clear()
    // The latest come first: calls wait for those, and open calls, however many, must not displace them.
    const accountIds = [...new Set([...named.keys(), ...openAccounts()])].slice(0, MOST_ACCOUNTS)
    const request = { accountIds, uses: told }
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

  return {
    credentials: () => credentials,
    account: (id: string) => accounts.get(id),
    isStale: () => clock.monotonic() - knownAt > STALE_MS,
    /** The account is asked for from now on. */
    name: (id: string) => void named.set(id, clock.monotonic()),
    noteUse: (consumer: string) => void uses.set(consumer, clock.now()),
    refresh,
    /** Asks anew. Those who wait for it at once share one request, which begins after all of them came. */
    refreshSoon(spacingMs: number): Promise<void> {
      waiting ??= (async () => {
        const pause = askedAt + spacingMs - clock.monotonic()
        if (pause > 0) await new Promise<void>(resolve => clock.timer(pause, resolve))
        else await undefined
        waiting = undefined
        await refresh()
      })()
      return waiting
    },
  }
}

export const unavailable = (cause?: unknown) =>
  fail('unavailable', 'Credentials of consumers can’t be checked now: identity does not answer.', {
    retryAfterS: 1,
    ...(cause !== undefined && { cause }),
  })
