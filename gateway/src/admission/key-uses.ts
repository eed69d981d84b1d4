/** When keys were used, told to identity once a minute. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { type KeyName, keyRefOf } from '@millhand/api'
import type { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { Log } from '@millhand/telemetry'

export interface KeyUses {
  /** Notes that a key was used at a time, in milliseconds since 1970. */
  note(key: KeyName, now: number): void
  /** Tells what was noted; what can't be told is lost. Never rejects. */
  report(): Promise<void>
}

/** Between two reports: milliseconds. */
export const REPORT_MS = 60_000

export function createKeyUses(identity: Client<typeof IdentityService>, log: Log): KeyUses {
  /** By the key's id: its latest use. */
  let noted = new Map<string, { readonly key: KeyName; readonly at: number }>()

  return {
    note(key, now) {
      noted.set(key.keyId, { key, at: now })
    },

    async report() {
      const uses = [...noted.values()].map(({ key, at }) => ({ key: keyRefOf(key), usedAt: timestampFromMs(at) }))
      noted = new Map()
      for (let first = 0; first < uses.length; first += MOST) {
        try {
          await identity.reportKeyUse({ uses: uses.slice(first, first + MOST) }, { timeoutMs: TIMEOUT_MS })
        } catch (error) {
          log.warn('key_uses.lost', { uses: uses.length - first, error })
          return
        }
      }
    },
  }
}

/** What one call may tell. */
const MOST = 1_000
/** The process may be stopping. */
const TIMEOUT_MS = 2_000
