/** The caller of a request: its principal, and what the gateway itself needs. */
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { wordOfMode } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type { KeyHolder } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Principal } from '@millhand/rpc'
import { type RateWindow, rateWindow } from './rate-limit/window.ts'

export interface Caller extends Principal {
  /** When the key ends, in milliseconds since 1970; Infinity where it does not. */
  readonly expiresAt: number
  /** The windows that calls count in, by plan family; none where the plan has no limit. */
  readonly windows: { readonly compute: RateWindow | undefined; readonly developer: RateWindow | undefined }
}

/** The holder of a key, by identity's answer. */
export interface Holder {
  readonly caller: Caller
  readonly isRevoked: boolean
  readonly isSuspended: boolean
}

export function holderOf(answer: KeyHolder): Holder | undefined {
  const { key, account } = answer
  if (key === undefined || account === undefined) return undefined
  const mode = wordOfMode(key.mode)
  const tenant = `${account.id}/${mode}`
  return {
    caller: {
      accountId: account.id,
      mode,
      tenant,
      scopes: new Set(key.scopes),
      keyId: key.id,
      plans: {
        compute: account.plans?.compute ?? '',
        developer: account.plans?.developer ?? '',
        workforce: account.plans?.workforce ?? '',
      },
      expiresAt: key.expiresAt ? timestampMs(key.expiresAt) : Number.POSITIVE_INFINITY,
      windows: {
        compute: rateWindow(tenant, 'compute', answer.computeRequestsPerMinute),
        developer: rateWindow(tenant, 'developer', answer.developerRequestsPerMinute),
      },
    },
    isRevoked: key.revokedAt !== undefined,
    isSuspended: account.status === AccountStatus.SUSPENDED,
  }
}
