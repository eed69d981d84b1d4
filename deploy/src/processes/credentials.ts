/** `pnpm serve credentials <service>`: what an operator gives to each process of that service. */

import { ConfigurationError, systemClock as clock, configuration } from '@millhand/process'
import { type CredentialsIssuer, createCredentialsIssuer } from '@millhand/rpc/network'
import { DAY_MS } from '../config-parts.ts'
import { type CallerName, callers, grantOf, isCalled } from '../services.ts'
import { required, variables } from '../variables.ts'

const read = configuration(
  {
    MILLHAND_SECRET_KEY: {
      ...required(variables.MILLHAND_SECRET_KEY),
      doc: 'The operator’s secret, from which all others are derived.',
    },
  },
  Object.keys(variables),
)

export const holders = Object.keys(callers) as CallerName[]

export interface Printed {
  /** The variables and their values, one a line. */
  readonly lines: string
  /** For a person. */
  readonly note?: string
}

/** @throws ConfigurationError */
export function credentials([service, ...words]: readonly string[], env: NodeJS.ProcessEnv): Printed {
  const name = holders.find(known => known === service)
  if (name === undefined) throw new ConfigurationError([`Credentials are made for one of ${holders.join(', ')}.`])
  const expiresAt = endOf(words)
  if (!callsOthers(name) && expiresAt !== undefined) {
    throw new ConfigurationError([`The service ${name} calls nobody: it has no token that could end.`])
  }
  const issuer = createCredentialsIssuer(operatorSecret(env))
  const values = Object.entries(credentialsOf(issuer, name, expiresAt))
  return {
    lines: values.map(([variable, value]) => `${variable}=${value}\n`).join(''),
    ...noteOf('The token', expiresAt),
  }
}

/** When a token ends, of `--days` and how many; undefined without. @throws ConfigurationError for any other words */
export function endOf([option, count, ...more]: readonly string[]): number | undefined {
  if (option === undefined) return undefined
  const days = Number(count)
  if (option === '--days' && Number.isInteger(days) && days >= 1 && days <= MOST_DAYS && more.length === 0) {
    return clock.now() + days * DAY_MS
  }
  throw new ConfigurationError([`Behind that may stand \`--days\` and a whole number from 1 to ${MOST_DAYS}.`])
}

export const noteOf = (what: string, expiresAt: number | undefined): { note?: string } =>
  expiresAt === undefined ? {} : { note: `${what} ends at ${new Date(expiresAt).toISOString()}.` }

/** @throws ConfigurationError where it is missing or too short */
export const operatorSecret = (env: NodeJS.ProcessEnv): Uint8Array =>
  Buffer.from(read(env).MILLHAND_SECRET_KEY.reveal())

/** The variables of a service that only the operator's secret can make. */
export function credentialsOf(
  issuer: CredentialsIssuer,
  holder: CallerName,
  expiresAt?: number,
): Readonly<Record<string, string>> {
  return {
    ...(callsOthers(holder) && {
      MILLHAND_SERVICE_TOKEN: issuer.issue(holder, grantOf(holder), expiresAt).token,
    }),
    ...(callers[holder].secret && { MILLHAND_SECRET_KEY: issuer.secretOf(holder) }),
    ...(isCalled(holder) && { MILLHAND_TRUSTED_KEYS: issuer.publicKey }),
  }
}

const callsOthers = (holder: CallerName): boolean => grantOf(holder).calls.length > 0

const MOST_DAYS = 3_650
