/** What an operator gives to each process, all made of one secret that no process has. */
import type { DescService } from '@bufbuild/protobuf'
import { allOf, createTokenIssuer } from './service-token.ts'
import { deriveSecret } from './signature.ts'
import { createPrincipalSigner } from './signed-principal.ts'

/** What a token is issued for. */
export interface Grant {
  /** The RPC services that its holder may call, all methods of each. */
  readonly calls: readonly DescService[]
  /**
   * Whether the holder has a secret of its own: it seals with it, and signs the account for which it calls. Without one
   * it cannot name an account.
   */
  readonly secret: boolean
}

interface Credentials {
  /** What it shows to others. */
  readonly token: string
  /** What is its own alone: it seals with it, and signs principals. Only for those whose grant says so. */
  readonly secret?: string
}

/** Makes the credentials of processes. The same secret makes the same, but for when tokens end. */
export interface CredentialsIssuer {
  /** Who checks tokens trusts this key. No secret. */
  readonly publicKey: string
  /**
   * `expiresAt` is in milliseconds since 1970; without it the token does not end by itself.
   *
   * @throws RangeError for a grant of no services
   */
  issue(service: string, grant: Grant, expiresAt?: number): Credentials
  /** The secret of a service, also of one that calls nobody and so has no token. */
  secretOf(service: string): string
}

/** @throws RangeError for a secret under 32 bytes */
export function createCredentialsIssuer(operatorSecret: Uint8Array): CredentialsIssuer {
  const { publicKey, mint } = createTokenIssuer(operatorSecret)
  const secretOf = (service: string) => deriveSecret(operatorSecret, `service ${service}`).toString('base64url')
  return {
    publicKey,
    secretOf,
    issue(service, { calls, secret: hasSecret }, expiresAt) {
      const grant = { service, methods: calls.map(allOf), ...(expiresAt !== undefined && { expiresAt }) }
      if (!hasSecret) return { token: mint(grant) }
      const secret = secretOf(service)
      const { publicKey: signer } = createPrincipalSigner(Buffer.from(secret))
      return { token: mint({ ...grant, signer }), secret }
    },
  }
}
