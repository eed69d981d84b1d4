/** Service tokens: what a process shows to another to be let in. */

import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { LRUCache } from 'lru-cache'
import type { ConfinedExecutor } from '../principal.ts'
import { createSigner, createVerifier, isPublicKey, unverified } from './signature.ts'

/** What the holder of a token may do. */
export interface ServiceGrant {
  /** Who it is, for logs. */
  readonly service: string
  /** `/millhand.lease.v1.LeaseService/Claim`, or `/millhand.lease.v1.LeaseService/*` for all methods of a service. */
  readonly methods: readonly string[]
  /** The public key of the principals that it signs; without one it may not say for which account it calls. */
  readonly signer?: string
  /** Which executor it is, where it may run the tasks of one account alone. */
  readonly executor?: ConfinedExecutor
  /** When the token ends, in milliseconds since 1970; without it it holds as long as its issuer is trusted. */
  readonly expiresAt?: number
}

/** The entry of `methods` that allows all of a service. */
export const allOf = (service: DescService): string => `/${service.typeName}/*`

/** Whether the holder may call the method. */
export function allows(grant: ServiceGrant, method: DescMethod): boolean {
  const service = method.parent.typeName
  return grant.methods.includes(`/${service}/*`) || grant.methods.includes(`/${service}/${method.name}`)
}

/** Mints tokens with the operator's secret. @throws RangeError for one under 32 bytes */
export interface TokenIssuer {
  /** What whoever checks its tokens is told. No secret. */
  readonly publicKey: string
  /**
   * A token that says what its holder may do, and needs no look-up.
   *
   * @throws RangeError for a grant that names no service, or a method that can't be one
   */
  mint(grant: ServiceGrant): string
}

export function createTokenIssuer(secret: Uint8Array): TokenIssuer {
  const { publicKey, sign } = createSigner(secret, 'service token')
  return {
    publicKey,
    mint(grant) {
      const { service, methods, signer, executor, expiresAt } = grant
      if (!/^[a-z][a-z0-9-]{0,62}$/.test(service)) throw new RangeError(`not a name of a service: ${service}`)
      if (methods.length === 0) throw new RangeError('a token without methods is good for nothing')
      for (const method of methods) {
        if (!METHOD.test(method)) throw new RangeError(`neither a method nor all methods of a service: ${method}`)
      }
      const token = PREFIX + sign({ service, methods, signer, executor, expiresAt })
      if (token.length > MAX_LENGTH) throw new RangeError(`the token of ${service} names too many methods`)
      return token
    },
  }
}

/** Reads tokens: what the holder may do, or undefined for a token that none of these issuers minted. */
export function createTokenReader(issuers: readonly string[]): (token: string) => ServiceGrant | undefined {
  const verifiers = issuers.map(issuer => createVerifier(issuer, 'service token'))
  const verified = new LRUCache<string, ServiceGrant>({ max: REMEMBERED })
  return token => {
    const known = verified.get(token)
    if (known !== undefined) return known
    if (token.length > MAX_LENGTH || !token.startsWith(PREFIX)) return undefined
    for (const verify of verifiers) {
      const grant = verify(token.slice(PREFIX.length))
      if (!isGrant(grant)) continue
      verified.set(token, grant)
      return grant
    }
    return undefined
  }
}

/** What a token says that the process was given itself, not checked; undefined for what is no token. */
export function ownGrant(token: string): ServiceGrant | undefined {
  const grant = token.startsWith(PREFIX) ? unverified(token.slice(PREFIX.length)) : undefined
  return isGrant(grant) ? grant : undefined
}

const PREFIX = 'mhs_'
/** `/package.v1.Service/Method`, or `*` for the method. */
const METHOD = /^\/[A-Za-z_]\w*(\.[A-Za-z_]\w*)+\/(\*|[A-Za-z_]\w*)$/
/** A header line of 8 KiB is what servers commonly take. */
const MAX_LENGTH = 8_000
/** More than a deployment has; only tokens that are ours are remembered, so that others can't push them out. */
const REMEMBERED = 1_000

/** A newer version may sign more; what it signs of these has these types. */
function isGrant(value: unknown): value is ServiceGrant {
  const { service, methods, signer, executor, expiresAt } = (value ?? {}) as Partial<ServiceGrant>
  return (
    typeof service === 'string' &&
    Array.isArray(methods) &&
    methods.every(method => typeof method === 'string') &&
    (executor === undefined || typeof executor.tenant === 'string') &&
    (signer === undefined || (typeof signer === 'string' && isPublicKey(signer))) &&
    (expiresAt === undefined || Number.isFinite(expiresAt))
  )
}
