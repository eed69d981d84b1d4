/** An API key as identity stores it: never the key, only its SHA-256. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { fail, hashOfKey, modeOfWord } from '@millhand/api'
import type { ApiKey } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import { type Announced, unannouncedIndex } from '../changes/unannounced.ts'

/** Times are milliseconds since 1970. */
export interface KeyRecord extends Document, Announced {
  readonly account_id: string
  readonly mode: 'live' | 'test'
  readonly name: string
  readonly scopes: readonly string[]
  /** The first characters of the key, to recognise it by. */
  readonly prefix: string
  /** Hexadecimal. */
  readonly sha256: string
  /** The id of the API key that made it, or `operator`; the first account's have none. */
  readonly made_by?: string
  readonly expires_at?: number | undefined
  /** How long it was made to live, in milliseconds: a key that replaces it lives as long. */
  readonly lifetime_ms?: number | undefined
  readonly revoked_at?: number
  /** To the minute. A change of it is no change of state. */
  readonly last_used_at?: number
  readonly resource_version: number
}

export type Keys = Collection<KeyRecord, 'by_sha256' | 'unannounced'>

export const keysSpec = {
  name: 'api_keys',
  indexes: { by_sha256: { fields: ['sha256'], unique: true }, unannounced: unannouncedIndex },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

/** What is stored of a key. */
export const sha256Of = (secret: string): string => Buffer.from(hashOfKey(secret)).toString('hex')

/** `secret` is the key itself: only where it is shown. */
export const keyMessage = (key: KeyRecord, secret?: string): ApiKey => ({
  $typeName: 'millhand.identity.v1.ApiKey',
  id: key.id,
  name: key.name,
  mode: modeOfWord(key.mode),
  scopes: [...key.scopes],
  prefix: key.prefix,
  createdAt: timestampFromMs(key.created_at),
  ...(key.expires_at !== undefined && { expiresAt: timestampFromMs(key.expires_at) }),
  ...(key.revoked_at !== undefined && { revokedAt: timestampFromMs(key.revoked_at) }),
  ...(key.last_used_at !== undefined && { lastUsedAt: timestampFromMs(key.last_used_at) }),
  ...(secret !== undefined && { key: secret }),
  resourceVersion: key.resource_version,
})

/** Another account's or mode's key is unknown under the caller's tenant: fails with `not_found`. */
export async function foundKey(keys: Keys, tenant: string, id: string): Promise<KeyRecord> {
  const key = await keys.get(tenant, id)
  if (!key) throw fail('not_found', `There is no API key \`${id.slice(0, 64)}\`.`)
  return key
}
