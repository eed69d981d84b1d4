/** An account: it owns keys, tasks and everything else. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { fail, families, type PlanNames } from '@millhand/api'
import { type Account, AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'
import { type Announced, unannouncedIndex } from '../changes/unannounced.ts'

/** An account itself belongs to no account. */
export interface AccountRecord extends Document, Announced {
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly plans: PlanNames
  /** Milliseconds since 1970. */
  readonly created_at: number
  readonly resource_version: number
  /** The plans of the latest event of it: other ones have to be told of. Not in accounts of before there were such events. */
  readonly plans_told?: string
  /** How often the account itself has changed its plans on a day of UTC. */
  readonly plan_changes?: { readonly day: string; readonly count: number } | undefined
}

export type Accounts = Collection<AccountRecord, 'unannounced'>

export const accountsSpec = {
  name: 'accounts',
  indexes: { unannounced: unannouncedIndex },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

/** Fails with `not_found`. */
export async function foundAccount(accounts: Accounts, id: string): Promise<AccountRecord> {
  const account = await accounts.get(noAccount, id)
  if (!account) throw fail('not_found', `There is no account \`${id.slice(0, 64)}\`.`)
  return account
}

/** As `plans_told` has them once an event has told of them. */
export const toldPlans = ({ plans, status }: Pick<AccountRecord, 'plans' | 'status'>): string =>
  [...families.map(family => plans[family]), ...(status === 'suspended' ? [status] : [])].join(' ')

export const accountMessage = ({ id, name, status, plans, created_at, resource_version }: AccountRecord): Account => ({
  $typeName: 'millhand.identity.v1.Account',
  id,
  name,
  status: status === 'active' ? AccountStatus.ACTIVE : AccountStatus.SUSPENDED,
  plans: { $typeName: 'millhand.identity.v1.Plans', ...plans },
  createdAt: timestampFromMs(created_at),
  resourceVersion: resource_version,
})
