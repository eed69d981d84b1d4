/** The credentials of internal consumers, as this process knows them from identity, and the calls that they have open. */
import { timingSafeEqual } from 'node:crypto'
import type { DescMethod } from '@bufbuild/protobuf'
import { fail, hashOfKey, isConsumerSecret } from '@millhand/api'
import type { ConsumerCredential } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { everyInterval } from '@millhand/process'
import type { Principal } from '../../principal.ts'
import { type ConsumerCopyDeps, createConsumerCopy, unavailable } from './consumer-copy.ts'
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

type ConsumerDirectoryDeps = Omit<ConsumerCopyDeps, 'openAccounts'>

const EVERY_MS = 5_000
/** Credentials that are not known are asked for at once, but not more often than this: anyone can send them. */
const SPACING_MS = 100

interface OpenCall {
  readonly caller: Principal
  readonly method: DescMethod
  readonly end: (reason: unknown) => void
}

export function createConsumerDirectory(deps: ConsumerDirectoryDeps): ConsumerDirectory {
  const { clock } = deps
  const open = new Set<OpenCall>()
  const copy = createConsumerCopy({
    ...deps,
    openAccounts: () => [...open].map(({ caller }) => caller.accountId),
  })

  const find = (digest: Uint8Array): ConsumerCredential | undefined => {
    let found: ConsumerCredential | undefined
    for (const each of copy.credentials()) if (timingSafeEqual(each.sha256, digest)) found = each
    return found
  }

  /** Of what is known now. */
  const living = (digest: Uint8Array): ConsumerCredential => {
    const credential = find(digest)
    if (credential === undefined) throw invalid()
    requireLiving(credential, clock.now())
    return credential
  }

  const recognize = async (secret: string): Promise<ConsumerCredential> => {
    if (!isConsumerSecret(secret)) throw invalid()
    const digest = hashOfKey(secret)
    if (find(digest) === undefined || copy.isStale()) await copy.refreshSoon(SPACING_MS)
    return living(digest)
  }

  /** Of what is known now. */
  const judge = (credential: ConsumerCredential, method: DescMethod, target: ConsumerTarget) => {
    requireLiving(credential, clock.now())
    requireMethod(credential, method)
    requireAccount(credential, target)
    const account = copy.account(target.accountId)
    return account && consumerPrincipal(credential, account, target)
  }

  const reasonToEnd = ({ caller, method }: OpenCall): unknown => {
    if (copy.isStale()) return unavailable()
    const credential = copy.credentials().find(({ id }) => id === caller.keyId)
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
      let credential = await recognize(secret)
      requireMethod(credential, method)
      const target = targetOf(header)
      requireAccount(credential, target)
      copy.name(target.accountId)
      if (copy.account(target.accountId) === undefined) {
        await copy.refreshSoon(0)
        // It may have been revoked meanwhile.
        credential = living(hashOfKey(secret))
      }
      const caller = judge(credential, method, target)
      if (caller === undefined) throw fail('not_found', `There is no account ${target.accountId}.`)
      copy.noteUse(credential.id)
      return caller
    },
    watch(caller, method, end) {
      const call = { caller, method, end }
      open.add(call)
      return () => void open.delete(call)
    },
    run: signal =>
      everyInterval(clock, EVERY_MS, signal, async () => {
        await copy.refresh().catch(() => {})
        for (const call of open) {
          const reason = reasonToEnd(call)
          if (reason !== undefined) call.end(reason)
        }
      }),
  }
}

const invalid = () => fail('invalid_credentials', 'There is no consumer with this credential.')
