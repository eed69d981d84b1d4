/** What the credential of an internal consumer lets it do. */
import { type DescMethod, hasOption } from '@bufbuild/protobuf'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { fail, parseId } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type { ConsumerCredential } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import type { AccountPlans } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import type { Principal } from '../../principal.ts'

/** Names the account for which a consumer calls. */
const accountHeader = 'millhand-account'
/** `live`, as without it, or `test`. */
const modeHeader = 'millhand-mode'

/** For whom a consumer calls. */
export type ConsumerTarget = Pick<Principal, 'accountId' | 'mode'>

/** Fails with `expired_credentials` and `revoked_credentials`. */
export function requireLiving({ expiresAt, revoked }: ConsumerCredential, now: number): void {
  if (revoked) throw fail('revoked_credentials', 'The consumer’s credential was revoked.')
  const end = expiresAt && timestampMs(expiresAt)
  if (end !== undefined && end <= now) {
    throw fail('expired_credentials', `The consumer’s credential expired at ${new Date(end).toISOString()}.`)
  }
}

/**
 * Fails with `insufficient_scope`. Whatever the credential lists, what has no principal is between services, and identity is
 * closed: who makes API keys could do more than its own credential.
 */
export function requireMethod({ methods }: ConsumerCredential, method: DescMethod): void {
  const service = method.parent.typeName
  const name = `${service}/${method.name}`
  const isListed = methods.includes(name) || methods.includes(`${service}/*`)
  if (isListed && hasOption(method, access) && !service.startsWith('millhand.identity.')) return
  const detail = `The consumer’s credential does not allow the method ${name}.`
  throw fail('insufficient_scope', detail, { metadata: { method: name } })
}

/** The target that the metadata of a call names. Fails with `missing_parameter` and `invalid_parameter`. */
export function targetOf(header: Pick<Headers, 'get'>): ConsumerTarget {
  const account = header.get(accountHeader)
  if (account === null) {
    const detail = `Name the account for which you call in the metadata \`${accountHeader}\`.`
    throw fail('missing_parameter', detail, { param: accountHeader })
  }
  const accountId = parseId('acct', account)
  if (accountId === undefined) {
    throw fail('invalid_parameter', `\`${accountHeader}\` must be the id of an account.`, { param: accountHeader })
  }
  const mode = header.get(modeHeader) ?? 'live'
  if (mode !== 'live' && mode !== 'test') {
    throw fail('invalid_parameter', `\`${modeHeader}\` must be \`live\` or \`test\`.`, { param: modeHeader })
  }
  return { accountId, mode }
}

/** Fails with `insufficient_scope`. */
export function requireAccount({ accounts }: ConsumerCredential, { accountId, mode }: ConsumerTarget): void {
  const allowed = [accountId, `${accountId}/${mode}`, '*', `*/${mode}`]
  if (accounts.some(entry => allowed.includes(entry))) return
  const detail = `The consumer’s credential does not allow the account ${accountId} in ${mode} mode.`
  throw fail('insufficient_scope', detail, { metadata: { account: accountId, mode } })
}

/** As the gateway makes it of an API key. Fails with `account_suspended`. */
export function consumerPrincipal(
  { id: keyId, scopes }: ConsumerCredential,
  { status, compute, developer, workforce }: AccountPlans,
  { accountId, mode }: ConsumerTarget,
): Principal {
  if (status === AccountStatus.SUSPENDED) throw fail('account_suspended', `The account ${accountId} is suspended.`)
  const plans = { compute, developer, workforce }
  return { accountId, mode, tenant: `${accountId}/${mode}`, scopes: new Set(scopes), keyId, plans }
}
