/** What is remembered of an idempotency key. Its id is the key's SHA-256 in hexadecimal. */
import type { StoredAnswer } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type { Collection, CollectionSpec, Document } from '@millhand/store'

interface Reserved extends Document {
  /** Hexadecimal. */
  readonly fingerprint: string
  /** The part after the prefix of the id of what it makes. */
  readonly operation: string
  /** Milliseconds since 1970, like every time here. From then on the key is as if it had never been sent. */
  readonly expires_at: number
}

/** Somebody is at it, until `held_until`. */
export interface HeldRecord extends Reserved {
  readonly state: 'held'
  readonly holder: string
  readonly held_until: number
  /** How many have begun it. */
  readonly holders: number
}

/** Nobody is at it, and it has no answer. */
interface FreeRecord extends Reserved {
  readonly state: 'free'
  readonly holders: number
}

/** It has its answer, which never changes, unless it is taken away. */
interface AnsweredRecord extends Reserved {
  readonly state: 'answered'
  /** Who answered. */
  readonly holder: string
  readonly answer: KeptAnswer
}

export type IdempotencyRecord = HeldRecord | FreeRecord | AnsweredRecord

export type IdempotencyRecords = Collection<IdempotencyRecord, keyof typeof idempotencySpec.indexes>

/** A `StoredAnswer` as a document has it: bytes in base64. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
  readonly secret: boolean
  readonly object_id: string
  readonly body_sha256: string
  readonly deflated: boolean
  readonly scope: string
}

export const idempotencySpec = {
  name: 'idempotency',
  indexes: { due: { fields: ['expires_at'] }, by_operation: { fields: ['tenant', 'operation'] } },
} as const satisfies CollectionSpec

/** Contract, section 6: answers are kept for 24 h. What has none is kept as long after it was last held. */
export const KEPT_MS = 86_400_000

export const keptAnswer = (answer: StoredAnswer): KeptAnswer => ({
  status: answer.status,
  headers: answer.headers,
  body: base64(answer.body),
  secret: answer.secret,
  object_id: answer.objectId,
  body_sha256: base64(answer.bodySha256),
  deflated: answer.deflated,
  scope: answer.scope,
})

export const storedAnswer = (kept: KeptAnswer): StoredAnswer => ({
  $typeName: 'millhand.identity.v1.StoredAnswer',
  status: kept.status,
  headers: [...kept.headers],
  body: Buffer.from(kept.body, 'base64'),
  secret: kept.secret,
  objectId: kept.object_id,
  bodySha256: Buffer.from(kept.body_sha256, 'base64'),
  deflated: kept.deflated,
  scope: kept.scope,
})

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
