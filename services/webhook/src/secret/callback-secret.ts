/** What callbacks of tasks are signed with: one secret a tenant, made when it is first asked for or needed. */

import type { SecretCipher } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import {
  firstSecret,
  isMadeBy,
  openSecret,
  rotatedSecret,
  type SecretMaker,
  type StoredSecret,
} from './stored-secret.ts'

/** Its id is `callback`: a tenant has one. Times are milliseconds since 1970. */
export interface CallbackSecretRecord extends Document, StoredSecret {
  readonly created_at: number
}

export const callbackSecretsSpec = { name: 'callback_secrets', indexes: {} } as const satisfies CollectionSpec

export interface CallbackSecretsDeps {
  readonly callbackSecrets: Collection<CallbackSecretRecord>
  readonly sealer: SecretCipher
  readonly clock: Clock
}

export type CallbackSecrets = ReturnType<typeof createCallbackSecrets>

export function createCallbackSecrets({ callbackSecrets, sealer, clock }: CallbackSecretsDeps) {
  const fresh = (tenant: string, maker: SecretMaker): Omit<CallbackSecretRecord, 'version'> => ({
    tenant,
    id: ID,
    ...firstSecret(sealer, { tenant, id: ID }, 'v1', maker),
    created_at: clock.now(),
  })

  /** The record, which is made where there is none. */
  async function get(tenant: string, maker: SecretMaker = ourselves): Promise<CallbackSecretRecord> {
    for (;;) {
      const found = await callbackSecrets.get(tenant, ID)
      if (found) return found
      await callbackSecrets.write({ kind: 'insert', document: fresh(tenant, maker), events: [] })
    }
  }

  /** Puts another in its place; the same call again changes nothing, and is shown what it made. */
  async function rotate(tenant: string, maker: SecretMaker): Promise<CallbackSecretRecord> {
    for (;;) {
      const before = await get(tenant, maker)
      if (isMadeBy(before, maker)) return before
      const now = clock.now()
      const after = { ...before, ...rotatedSecret(sealer, before, 'v1', maker, now), created_at: now }
      const result = await callbackSecrets.write({
        kind: 'replace',
        version: before.version,
        document: after,
        events: [],
      })
      if (result.kind === 'written') return { ...after, version: result.version }
    }
  }

  return {
    get,
    rotate,
    /** The newest, for its owner. @throws SecretUnreadable */
    open: (record: CallbackSecretRecord): string => openSecret(sealer, record),
  }
}

const ID = 'callback'
/** A delivery needed it before anybody asked. */
const ourselves: SecretMaker = { key: '', operation: undefined }
