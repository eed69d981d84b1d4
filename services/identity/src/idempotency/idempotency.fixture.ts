/** The service on a collection, as one account's gateways call it. */
import { type Client, createClient, createContextValues, type Transport } from '@connectrpc/connect'
import { createIds } from '@millhand/api'
import {
  IdempotencyService,
  type ReserveResponse,
  type StoredAnswer,
} from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, type Principal, principalKey, serve } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'
import type { IdempotencyRecords } from './idempotency-record.ts'
import { createIdempotencyService } from './idempotency-service.ts'

export const noon = Date.UTC(2026, 10, 21, 12)

export function open(idempotency: IdempotencyRecords, clock: ManualClock = manualClock(noon)) {
  const transport = createDirectTransport()
  const ids = createIds({ now: () => clock.now() })
  const service = createIdempotencyService({ idempotency, clock, ids, log: silent, random: Math.random })
  serve(service.routes, transport)
  return { clock, service, asks: (key: string, account?: string) => asker(transport, key, account) }
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

/** What gateways ask about one key, by the name of who asks. */
function asker(transport: Transport, key: string, accountId = 'acct_1') {
  const client: Client<typeof IdempotencyService> = createClient(IdempotencyService, transport)
  const caller: Principal = {
    ...{ accountId, tenant: `${accountId}/live`, scopes: new Set(), keyId: 'key_1' },
    mode: 'live',
    plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
  }
  const options = { contextValues: createContextValues().set(principalKey, caller) }
  const keySha256 = digest(key)
  return {
    async reserve(holder: string, request = 'request') {
      const { outcome } = await client.reserve({ keySha256, fingerprint: digest(request), holder }, options)
      return outcome
    },
    renew: async (holder: string) => (await client.renew({ keySha256, holder }, options)).held,
    /** The text of the answer that counts; undefined where there is none yet. */
    async complete(holder: string, operation: string, text: string) {
      const answer = { status: 201, headers: ['Location', '/x'], body: Buffer.from(text), objectId: 'x' }
      const { instead, lost } = await client.complete({ keySha256, holder, operation, answer }, options)
      return lost ? undefined : instead === undefined ? text : textOf(instead)
    },
    reopen: (operation: string) => client.reopen({ operation }, options),
    release: (holder: string, forget = false) => client.release({ keySha256, holder, forget }, options),
  }
}

/** 32 bytes that a text stands for. */
const digest = (text: string) => Buffer.from(text.padEnd(32)).subarray(0, 32)

export const textOf = ({ body }: StoredAnswer): string => Buffer.from(body).toString()

/** The operation that was begun. Fails where none was. */
export function begun(outcome: ReserveResponse['outcome']): string {
  if (outcome.case !== 'begun') throw new Error(`not begun: ${outcome.case}`)
  return outcome.value.id
}
