/** Reports to identity once a minute when keys were last used. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { type KeyName, keyRefOf } from '@millhand/api'
import type { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Log } from '@millhand/telemetry'

export interface KeyUses {
  /** Records that a key was used at a time, in milliseconds since 1970. */
  record(key: KeyName, now: number): void
  /** Reports what was recorded; what can't be reported is lost. Never rejects. */
  report(): Promise<void>
}

/** Between two reports: milliseconds. */
export const REPORT_MS = 60_000

export function createKeyUses(identity: Client<typeof IdentityService>, log: Log): KeyUses {
  /** By the key's id: its latest use. */
  let latest = new Map<string, { readonly key: KeyName; readonly at: number }>()

  return {
    record(key, now) {
      latest.set(key.keyId, { key, at: now })
    },

    async report() {
      const uses = [...latest.values()].map(({ key, at }) => ({ key: keyRefOf(key), usedAt: timestampFromMs(at) }))
      latest = new Map()
      for (let first = 0; first < uses.length; first += MAX_USES) {
        try {
          await identity.reportKeyUse({ uses: uses.slice(first, first + MAX_USES) }, { timeoutMs: TIMEOUT_MS })
        } catch (error) {
          log.warn('key_uses.lost', { uses: uses.length - first, error })
          return
        }
      }
    },
  }
}

/** Of one call. */
const MAX_USES = 1_000
/** The process may be stopping. */
const TIMEOUT_MS = 2_000
