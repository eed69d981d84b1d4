/** The credentials by which a process of a distributed deployment calls others: its token, certificate and secret. */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ConfigurationError, systemClock as clock, type Secret, type Values } from '@millhand/process'
import { createPrincipalSigner, createTokenReader, ownGrant } from '@millhand/rpc/network'
import type { CallerName } from '../services.ts'
import { pick, required, variables } from '../variables.ts'

/** How a process shows who it is, by TLS. */
export const certificates = pick('MILLHAND_TLS_CERT', 'MILLHAND_TLS_KEY', 'MILLHAND_TLS_CA')

/** What a process is told that others call. */
export const calledVariables = { MILLHAND_TRUSTED_KEYS: variables.MILLHAND_TRUSTED_KEYS, ...certificates }

/** What a process is told that calls others. */
export const callingVariables = { MILLHAND_SERVICE_TOKEN: variables.MILLHAND_SERVICE_TOKEN, ...certificates }

/** What a process is told that calls others for accounts. */
export const signingVariables = {
  MILLHAND_SECRET_KEY: {
    ...required(variables.MILLHAND_SECRET_KEY),
    doc:
      'The secret of this service. It signs principals and cursors, and encrypts the signing secrets of webhooks. ' +
      'Create it with `pnpm serve credentials <service>`.',
  },
  ...callingVariables,
}

/** PEM. */
export interface Tls {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export interface OwnCredentials {
  readonly token: string
  /** When the token ends, in milliseconds since 1970. */
  readonly expiresAt: number | undefined
  readonly tls: Tls | undefined
  /** Signs principals; a process that names no account has none. */
  readonly secret?: Buffer
}

type Calling = Values<typeof callingVariables> & {
  readonly MILLHAND_SECRET_KEY?: Secret
  readonly MILLHAND_TRUSTED_KEYS?: readonly string[]
}

/** @throws ConfigurationError for credentials that are another service's, expired, or not of one piece */
export function ownCredentialsOf(service: CallerName, set: Calling): OwnCredentials {
  const token = set.MILLHAND_SERVICE_TOKEN.reveal()
  const grant = ownGrant(token)
  const make = `Make it with \`pnpm serve credentials ${service}\`.`
  if (grant === undefined) throw fault(`MILLHAND_SERVICE_TOKEN must be a service token. ${make}`)
  if (grant.service !== service) {
    throw fault(`MILLHAND_SERVICE_TOKEN must be a token of ${service}; it is one of ${grant.service}. ${make}`)
  }
  if (grant.expiresAt !== undefined && grant.expiresAt <= clock.now()) {
    throw fault(`MILLHAND_SERVICE_TOKEN expired at ${new Date(grant.expiresAt).toISOString()}. ${make}`)
  }
  const secret = set.MILLHAND_SECRET_KEY && Buffer.from(set.MILLHAND_SECRET_KEY.reveal())
  if (secret && createPrincipalSigner(secret).publicKey !== grant.signer) {
    throw fault(`MILLHAND_SECRET_KEY must be the one that was made with MILLHAND_SERVICE_TOKEN. ${make}`)
  }
  if (set.MILLHAND_TRUSTED_KEYS && !createTokenReader(set.MILLHAND_TRUSTED_KEYS)(token)) {
    throw fault('MILLHAND_TRUSTED_KEYS must have the key of who made this MILLHAND_SERVICE_TOKEN, too.')
  }
  return { token, expiresAt: grant.expiresAt, tls: tlsOf(set), ...(secret && { secret }) }
}

/** Certificates: all three or none. @throws ConfigurationError also for what is no certificate */
export function tlsOf(set: Values<typeof certificates>): Tls | undefined {
  const files = ['MILLHAND_TLS_CERT', 'MILLHAND_TLS_KEY', 'MILLHAND_TLS_CA'] as const
  const missing = files.filter(name => set[name] === undefined)
  if (missing.length === files.length) return undefined
  if (missing.length > 0) {
    throw fault(`${missing.join(' and ')} must be set too: certificates come as all three or none.`)
  }
  const [cert, key, ca] = files.map(name => {
    try {
      return readFileSync(set[name] as string, 'utf8')
    } catch (error) {
      throw fault(`${name} must be a file that can be read: ${(error as Error).message}.`)
    }
  })
  const tls = { cert, key, ca } as Tls
  try {
    createSecureContext(tls)
  } catch (error) {
    throw fault(`${files.join(', ')} must be PEM, and the key that of the certificate: ${(error as Error).message}.`)
  }
  return tls
}

/** With certificates nothing is to go in the clear. @throws ConfigurationError */
export function requireHttps(tls: Tls | undefined, urls: Readonly<Record<string, readonly string[]>>): void {
  if (tls === undefined) return
  for (const [name, each] of Object.entries(urls)) {
    if (each.some(url => !url.startsWith('https:'))) {
      throw fault(`${name} must be https: where MILLHAND_TLS_CERT is set; it is ${JSON.stringify(each.join())}.`)
    }
  }
}

const fault = (line: string) => new ConfigurationError([line])
