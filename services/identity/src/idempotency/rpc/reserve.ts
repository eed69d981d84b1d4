import type { HandlerContext } from '@connectrpc/connect'
import type { ReserveRequest, ReserveResponse } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { Draft } from '@millhand/store'
import type { IdempotencyDeps } from '../idempotency-deps.ts'
import { type HeldRecord, KEPT_MS, storedAnswer } from '../idempotency-record.ts'

/** A holder renews it long before. Who died is waited for so long. */
export const LEASE_MS = 10_000

/** Few of those who find somebody at it wait for the whole lease: most calls take milliseconds. */
const ASK_AGAIN_MS = 1_000

/** Those that a record may begin with: versions go up to 2^53. */
const FIRST_VERSIONS = 2 ** 52

/** Begins an operation, or goes on with one that nobody is at. Asked again by its holder it says the same. */
export const reserve =
  ({ idempotency, clock, ids, random }: IdempotencyDeps) =>
  async ({ keySha256, fingerprint, holder }: ReserveRequest, call: HandlerContext): Promise<ReserveResponse> => {
    const { tenant } = principal(call)
    const id = hex(keySha256)
    const asked = hex(fingerprint)
    for (;;) {
      const now = clock.now()
      const found = await idempotency.get(tenant, id)
      const before = found !== undefined && found.expires_at > now ? found : undefined
      if (before !== undefined && before.fingerprint !== asked) return response({ case: 'mismatch', value: mismatch })
      if (before?.state === 'answered') return response({ case: 'answered', value: storedAnswer(before.answer) })
      if (before?.state === 'held' && before.holder !== holder && before.held_until > now) {
        return response({ case: 'runningMs', value: Math.min(before.held_until - now, ASK_AGAIN_MS) })
      }
      const isOwn = before?.state === 'held' && before.holder === holder
      const document: Draft<HeldRecord> = {
        tenant,
        id,
        fingerprint: asked,
        operation: before?.operation ?? ids('req').slice('req_'.length),
        state: 'held',
        holder,
        held_until: now + LEASE_MS,
        holders: (before?.holders ?? 0) + (isOwn ? 0 : 1),
        expires_at: now + KEPT_MS,
      }
      const change = found
        ? ({ kind: 'replace', version: found.version } as const)
        : // Far from those of any earlier life of the key: who is late with a write of that one must not meet this one.
          ({ kind: 'insert', version: 1 + Math.floor(random() * FIRST_VERSIONS) } as const)
      if ((await idempotency.write({ ...change, document, events: [] })).kind === 'conflict') continue
      const { operation } = document
      const begun = { $typeName: 'millhand.identity.v1.Operation', id: operation, leaseMs: LEASE_MS } as const
      return response({ case: 'begun', value: begun })
    }
  }

const response = (outcome: ReserveResponse['outcome']): ReserveResponse => ({
  $typeName: 'millhand.identity.v1.ReserveResponse',
  outcome,
})

const mismatch = { $typeName: 'millhand.identity.v1.Mismatch' } as const

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
