/** Consumers as identity tells of them, in tests. */
import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createConsumerSecret, fail, hashOfKey } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import {
  ConsumerCredentialSchema,
  type SyncConsumersRequest,
  SyncConsumersRequestSchema,
  SyncConsumersResponseSchema,
} from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { AccountPlansSchema } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import { type Clock, manualClock } from '@millhand/process'
import { listeningLog, noon } from '../network.fixture.ts'
import { createConsumerDirectory } from './consumer-directory.ts'

export const account = 'acct_01jd7x8f2wfyqs3m6k9v0t4b5c'
export const otherAccount = 'acct_01jd7x8f2wfyqs3m6k9v0t4b5d'

export interface Credential {
  readonly id: string
  readonly secret: string
  readonly methods: string[]
  readonly accounts: string[]
  readonly scopes: string[]
  readonly expiresAt?: number
  readonly revoked?: boolean
}

/** May read and watch tasks for one account. */
export const credential = (more: Partial<Credential> = {}): Credential => ({
  id: 'consumer_1',
  secret: createConsumerSecret(),
  methods: ['millhand.compute.v1.ComputeService/*'],
  accounts: [account],
  scopes: ['tasks:read'],
  ...more,
})

/** A directory before an identity whose state tests change. */
export function openDirectory(credentials: readonly Credential[] = [], clock: Clock = manualClock(noon)) {
  const identity = {
    credentials,
    isAway: false,
    suspended: [] as string[],
    requests: [] as SyncConsumersRequest[],
  }
  const { log, lines } = listeningLog()
  const directory = createConsumerDirectory({
    identity: {
      async syncConsumers(request) {
        if (identity.isAway) throw fail('unavailable', 'identity is away')
        const asked = create(SyncConsumersRequestSchema, request)
        identity.requests.push(asked)
        return create(SyncConsumersResponseSchema, {
          credentials: identity.credentials.map(({ secret, expiresAt, ...each }) =>
            create(ConsumerCredentialSchema, {
              ...each,
              sha256: hashOfKey(secret),
              ...(expiresAt !== undefined && { expiresAt: timestampFromMs(expiresAt) }),
            }),
          ),
          accounts: asked.accountIds
            .filter(id => id === account || id === otherAccount)
            .map(id => {
              const status = identity.suspended.includes(id) ? AccountStatus.SUSPENDED : AccountStatus.ACTIVE
              const plans = { compute: 'growth', developer: 'free', workforce: 'starter' }
              return create(AccountPlansSchema, { id, status, ...plans })
            }),
        })
      },
    },
    clock,
    log,
  })
  return { directory, identity, lines }
}
