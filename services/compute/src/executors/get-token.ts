import type { Client } from '@connectrpc/connect'
import { codeOf, fail } from '@millhand/api'
import type { GetTokenRequest, GetTokenResponse } from '@millhand/api/gen/millhand/compute/v1/executor_service_pb.ts'
import type { CapacityService } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { ConfinedExecutor } from '@millhand/rpc'
import type { ExecutorStandings } from './executor-standings.ts'

/** Makes and reads the tokens of executors in instances. */
export interface ExecutorTokens {
  /** `expiresAt` is in milliseconds since 1970. */
  mint(executor: ConfinedExecutor, expiresAt: number): string
  /** Undefined for what is no such token. */
  read(token: string): { readonly executor: ConfinedExecutor; readonly expiresAt: number } | undefined
}

export interface GetTokenDeps {
  readonly tokens: ExecutorTokens
  readonly standings: ExecutorStandings
  readonly capacity: Pick<Client<typeof CapacityService>, 'admitExecutor'>
  readonly clock: Pick<Clock, 'now'>
}

/** How long a token is valid. */
const TOKEN_MS = 300_000
const TIMEOUT_MS = 5_000

/** Exchanges a join credential, or the latest token, for a token. */
export const getToken =
  (deps: GetTokenDeps) =>
  async ({ credential }: GetTokenRequest): Promise<GetTokenResponse> => {
    const { tokens, clock } = deps
    const executor = (await renewing(deps, credential)) ?? (await joining(deps, credential))
    const token = tokens.mint(executor, clock.now() + TOKEN_MS)
    return { $typeName: 'millhand.compute.v1.GetTokenResponse', token, validMs: TOKEN_MS }
  }

async function renewing({ tokens, standings, clock }: GetTokenDeps, token: string) {
  const known = tokens.read(token)
  if (known === undefined) return undefined
  if (known.expiresAt <= clock.now()) throw fail('expired_credentials', 'The token has ended.')
  if ((await standings.confirmed(known.executor)) === 'gone')
    throw fail('revoked_credentials', 'The replica of this token has ended.')
  return known.executor
}

async function joining({ capacity }: GetTokenDeps, credential: string): Promise<ConfinedExecutor> {
  try {
    const { replica } = await capacity.admitExecutor({ credential }, { timeoutMs: TIMEOUT_MS })
    const { tenant = '', instance = '', generation = 0 } = replica ?? {}
    return { tenant, instance, generation }
  } catch (error) {
    const code = codeOf(error)
    if (refusals.has(code)) throw error
    throw fail('unavailable', 'The instance service does not answer.', { retryAfterS: 1, cause: error })
  }
}

const refusals: ReadonlySet<string> = new Set(['invalid_credentials', 'expired_credentials', 'revoked_credentials'])
