/** An API key as identity stores it: never the key, only its SHA-256. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ApiKey } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import type { CollectionSpec, Document } from '@millhand/store'

export interface KeyRecord extends Document {
  readonly account_id: string
  readonly mode: 'live' | 'test'
  readonly name: string
  readonly scopes: readonly string[]
  /** The first characters of the key, to recognise it by. */
  readonly prefix: string
  /** Hexadecimal. */
  readonly sha256: string
  readonly created_at: number
  readonly expires_at?: number
  readonly revoked_at?: number
}

export const keysSpec = {
  name: 'api_keys',
  indexes: { by_sha256: { fields: ['sha256'], unique: true } },
} as const satisfies CollectionSpec

export const keyMessage = (key: KeyRecord): ApiKey => ({
  $typeName: 'millhand.identity.v1.ApiKey',
  id: key.id,
  accountId: key.account_id,
  name: key.name,
  mode: key.mode === 'live' ? Mode.LIVE : Mode.TEST,
  scopes: [...key.scopes],
  prefix: key.prefix,
  createdAt: timestampFromMs(key.created_at),
  ...(key.expires_at !== undefined && { expiresAt: timestampFromMs(key.expires_at) }),
  ...(key.revoked_at !== undefined && { revokedAt: timestampFromMs(key.revoked_at) }),
})
