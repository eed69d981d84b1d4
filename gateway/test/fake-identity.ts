/** Identity in memory, to see what the gateway makes of keys and of how they change. */
import { create } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import { createApiKey, hashOfKey } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import {
  type IdentityService,
  type KeyHolder,
  KeyHolderSchema,
  type KeyUse,
} from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'

/** What identity says of a key besides its scopes. */
export interface Told {
  /** Live where it is not set. */
  readonly mode?: Mode
  readonly accountId?: string
  readonly expiresAt?: Timestamp
  readonly revokedAt?: Timestamp
  readonly isSuspended?: boolean
  /** Requests in any 60 seconds, by the compute plan. */
  readonly computePerMinute?: number
}

export class FakeIdentity {
  readonly #holders = new Map<string, KeyHolder>()
  readonly #changedKeys: string[] = []
  readonly #changedAccounts: string[] = []
  authentications = 0
  polls = 0
  isAway = false
  /** Whether it says that there are more changes than it tells. */
  hasManyChanges = false
  /** What it waits for before it answers about a key. */
  gate: Promise<void> | undefined
  readonly uses: KeyUse[] = []

  readonly implementation: Partial<ServiceImpl<typeof IdentityService>> = {
    authenticateKey: async ({ key }) => {
      this.authentications++
      const holder = key.case === 'keySha256' ? this.#holders.get(hex(key.value)) : this.#byId(key.value?.keyId)
      await this.gate
      this.#requirePresence()
      return holder === undefined ? {} : { holder }
    },
    listChanges: ({ after }) => {
      this.polls++
      this.#requirePresence()
      return {
        revision: { keys: this.#changedKeys.length, accounts: this.#changedAccounts.length },
        keyIds: this.#changedKeys.slice(after?.keys),
        accountIds: this.#changedAccounts.slice(after?.accounts),
        everything: this.hasManyChanges,
      }
    },
    reportKeyUse: ({ uses }) => {
      this.#requirePresence()
      this.uses.push(...uses)
      return {}
    },
  }

  /** A new key with these scopes. */
  key(scopes: readonly string[], told: Told = {}): string {
    const key = createApiKey('live')
    this.#holders.set(hex(hashOfKey(key)), holder(`key_${this.#holders.size + 1}`, scopes, told))
    return key
  }

  /** Has identity say something else of a key, and of its account. */
  change(key: string, told: Told): void {
    const before = this.#of(key)
    const id = before.key?.id as string
    this.#holders.set(hex(hashOfKey(key)), holder(id, before.key?.scopes ?? [], told))
    if (told.isSuspended === undefined && told.computePerMinute === undefined) this.#changedKeys.push(id)
    else this.#changedAccounts.push(before.account?.id as string)
  }

  idOf(key: string): string {
    return this.#of(key).key?.id as string
  }

  #of(key: string): KeyHolder {
    return this.#holders.get(hex(hashOfKey(key))) as KeyHolder
  }

  #byId(id: string | undefined): KeyHolder | undefined {
    return [...this.#holders.values()].find(({ key }) => key?.id === id)
  }

  #requirePresence() {
    if (this.isAway) throw new ConnectError('no route to host 10.1.2.3', Code.Unavailable)
  }
}

function holder(id: string, scopes: readonly string[], told: Told): KeyHolder {
  const { accountId = 'acct_1', isSuspended = false, computePerMinute, ...times } = told
  return create(KeyHolderSchema, {
    key: { id, mode: Mode.LIVE, scopes: [...scopes], ...times },
    account: {
      id: accountId,
      status: isSuspended ? AccountStatus.SUSPENDED : AccountStatus.ACTIVE,
      plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
    },
    ...(computePerMinute !== undefined && { computeRequestsPerMinute: computePerMinute }),
  })
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
