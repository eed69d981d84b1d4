/** Service tokens: what a process shows to another to be let in. */
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { createRecent } from './recent.ts'
import { createSeal } from './seal.ts'

/** What the holder of a token may do. */
export interface ServiceGrant {
  /** Who it is, for logs. */
  readonly service: string
  /** `/millhand.lease.v1.LeaseService/Claim`, or `/millhand.lease.v1.LeaseService/*` for all methods of a service. */
  readonly methods: readonly string[]
  /** Whether it may say for which account it calls. */
  readonly accounts: boolean
}

/** The entry of `methods` that allows all of a service. */
export const allOf = (service: DescService): string => `/${service.typeName}/*`

/** Whether the holder may call the method. */
export function allows(grant: ServiceGrant, method: DescMethod): boolean {
  const service = method.parent.typeName
  return grant.methods.includes(`/${service}/*`) || grant.methods.includes(`/${service}/${method.name}`)
}

/**
 * A token that says what its holder may do. It needs nothing but itself: only who makes and who reads tokens has the
 * secret. It holds until the secret is changed.
 *
 * @throws RangeError for a grant that names no service, or a method that can't be one
 */
export function mintServiceToken(secret: Uint8Array, grant: ServiceGrant): string {
  const { service, methods, accounts } = grant
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(service)) throw new RangeError(`not a name of a service: ${service}`)
  if (methods.length === 0) throw new RangeError('a token without methods is good for nothing')
  for (const method of methods) {
    if (!METHOD.test(method)) throw new RangeError(`neither a method nor all methods of a service: ${method}`)
  }
  const token = PREFIX + createSeal(secret, 'service token').seal({ service, methods, accounts })
  if (token.length > MAX_LENGTH) throw new RangeError(`the token of ${service} names too many methods`)
  return token
}

/** Reads tokens: what the holder may do, or undefined for a token that was not minted with this secret. */
export function createTokenReader(secret: Uint8Array): (token: string) => ServiceGrant | undefined {
  const seal = createSeal(secret, 'service token')
  const verified = createRecent<ServiceGrant>(REMEMBERED)
  return token => {
    const known = verified.get(token)
    if (known !== undefined) return known
    if (token.length > MAX_LENGTH || !token.startsWith(PREFIX)) return undefined
    const grant = seal.open(token.slice(PREFIX.length))
    if (!isGrant(grant)) return undefined
    verified.set(token, grant)
    return grant
  }
}

const PREFIX = 'mhs_'
/** `/package.v1.Service/Method`, or `*` for the method. */
const METHOD = /^\/[A-Za-z_]\w*(\.[A-Za-z_]\w*)+\/(\*|[A-Za-z_]\w*)$/
/** A header line of 8 KiB is what servers commonly take. */
const MAX_LENGTH = 8_000
/** More than a deployment has; only tokens that are ours are remembered, so that others can't push them out. */
const REMEMBERED = 1_000

/** A newer version may seal more; what it seals of these has these types. */
function isGrant(value: unknown): value is ServiceGrant {
  const { service, methods, accounts } = (value ?? {}) as Partial<ServiceGrant>
  return (
    typeof service === 'string' &&
    Array.isArray(methods) &&
    methods.every(method => typeof method === 'string') &&
    typeof accounts === 'boolean'
  )
}
