/** The way to a running deployment: where identity is reached, and as whom. */
import { type CallOptions, type Client, ConnectError, createClient, createContextValues } from '@connectrpc/connect'
import { Health } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { LedgerService } from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import { AccountService } from '@millhand/api/gen/millhand/identity/v1/account_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { ConsumerService } from '@millhand/api/gen/millhand/identity/v1/consumer_service_pb.ts'
import { type Address, ConfigurationError, configuration, optional } from '@millhand/process'
import { type Principal, principalKey } from '@millhand/rpc'
import {
  createCredentialsIssuer,
  createNetworkTransport,
  createPrincipalSigner,
  type NetworkTransport,
  outgoingHeaders,
} from '@millhand/rpc/network'
import { certificates, ownCredentialsOf, requireHttps, tlsOf } from '../processes/own-credentials.ts'
import { keptSecretKey } from '../secret-key.ts'
import { grantOf } from '../services.ts'
import { pick, variables } from '../variables.ts'

export type Mode = Principal['mode']

/** A deployment that can be asked, until it is closed. */
export interface Deployment {
  readonly accounts: Client<typeof AccountService>
  readonly keys: Client<typeof ApiKeyService>
  readonly consumers: Client<typeof ConsumerService>
  /** The ledgers of accounts. */
  readonly ledgers: Client<typeof LedgerService>
  /** For whom a call about keys or a ledger is: it can do whatever the account can. */
  as(account: string, mode: Mode): CallOptions
  close(): void
}

/** None of the replicas of identity answers. */
export class NotReached extends Error {
  override readonly name = 'NotReached'
}

/** An operator can wait: where the machine is busy, a command may not break off in the middle. */
const PING_TIMEOUT_MS = 10_000

/** How a command line is told where a deployment is, and who it is itself. */
export const operatorVariables = configuration(
  {
    ...pick('MILLHAND_GRPC_ADDR', 'MILLHAND_DATA_DIR', 'MILLHAND_SECRET_KEY'),
    ...certificates,
    MILLHAND_SERVICE_TOKEN: optional(variables.MILLHAND_SERVICE_TOKEN),
    MILLHAND_IDENTITY_URL: optional(variables.MILLHAND_IDENTITY_URL),
    MILLHAND_BILLING_URL: optional(variables.MILLHAND_BILLING_URL),
  },
  Object.keys(variables),
)

/**
 * The deployment that the environment names: by its own credentials where `MILLHAND_SERVICE_TOKEN` is set, else by what
 * the secret of the data folder makes; at `MILLHAND_IDENTITY_URL` where that is set, else at `MILLHAND_GRPC_ADDR`.
 *
 * @throws ConfigurationError, UnusableFile, NotReached
 */
export async function openDeployment(env: NodeJS.ProcessEnv): Promise<Deployment> {
  const set = operatorVariables(env)
  const { token, secret } = await credentialsOf(set)
  const tls = tlsOf(set)
  const at = set.MILLHAND_IDENTITY_URL ?? [local(set.MILLHAND_GRPC_ADDR, tls !== undefined)]
  const ofLedgers = set.MILLHAND_BILLING_URL ?? at
  requireHttps(tls, { MILLHAND_IDENTITY_URL: at, MILLHAND_BILLING_URL: ofLedgers })
  const headers = outgoingHeaders(createPrincipalSigner(Buffer.from(secret)).sign)
  const pingTimeoutMs = PING_TIMEOUT_MS
  const open = (url: string) => createNetworkTransport({ url, token, headers, pingTimeoutMs, ...(tls && { tls }) })
  const transport = await firstThatAnswers(at.map(open), at)
  // Without a URL of its own, billing is in the one process. Not asked before: most commands do without it.
  const billing = set.MILLHAND_BILLING_URL === undefined ? transport : open(String(ofLedgers[0]))
  return {
    accounts: createClient(AccountService, transport),
    keys: createClient(ApiKeyService, transport),
    consumers: createClient(ConsumerService, transport),
    ledgers: createClient(LedgerService, billing),
    as: (account, mode) => ({
      contextValues: createContextValues().set(principalKey, {
        accountId: account,
        mode,
        tenant: `${account}/${mode}`,
        scopes: new Set(['*']),
        keyId: 'operator',
        plans: { compute: '', developer: '', workforce: '' },
      }),
    }),
    close() {
      transport.close()
      if (billing !== transport) billing.close()
    },
  }
}

type Variables = ReturnType<typeof operatorVariables>

async function credentialsOf(set: Variables): Promise<{ readonly token: string; readonly secret: string }> {
  const { MILLHAND_SERVICE_TOKEN, MILLHAND_SECRET_KEY, MILLHAND_DATA_DIR } = set
  if (MILLHAND_SERVICE_TOKEN !== undefined) {
    if (MILLHAND_SECRET_KEY === undefined) {
      throw new ConfigurationError(['MILLHAND_SECRET_KEY has to be set: the one made with MILLHAND_SERVICE_TOKEN.'])
    }
    const { token } = ownCredentialsOf('operator', { ...set, MILLHAND_SERVICE_TOKEN, MILLHAND_SECRET_KEY })
    return { token, secret: MILLHAND_SECRET_KEY.reveal() }
  }
  const kept = await keptSecretKey(MILLHAND_DATA_DIR, MILLHAND_SECRET_KEY?.reveal())
  const { token, secret } = createCredentialsIssuer(kept).issue('operator', grantOf('operator'))
  if (secret === undefined) throw new Error('an operator names accounts')
  return { token, secret }
}

const local = ({ host, port }: Address, isSecure: boolean) =>
  `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Asked before anything is done, so that no doubt remains whether it was. */
async function firstThatAnswers(transports: readonly NetworkTransport[], urls: readonly string[]) {
  const failures: string[] = []
  for (const [at, transport] of transports.entries()) {
    try {
      await createClient(Health, transport).check({}, { timeoutMs: ANSWER_MS })
      return transport
    } catch (error) {
      transport.close()
      failures.push(`${urls[at]}: ${ConnectError.from(error).rawMessage}`)
    }
  }
  throw new NotReached(failures.join('; '))
}

const ANSWER_MS = 5_000
