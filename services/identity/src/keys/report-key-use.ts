import { timestampMs } from '@bufbuild/protobuf/wkt'
import type {
  KeyUse,
  ReportKeyUseRequest,
  ReportKeyUseResponse,
} from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import type { IdentityDeps } from '../identity-deps.ts'
import { tenantOf } from './authenticate-key.ts'

const MINUTE_MS = 60_000

/** Notes when keys were last used, to the minute. That is no change of the key's state: nobody is told. */
export const reportKeyUse =
  ({ keys, clock }: IdentityDeps) =>
  async ({ uses }: ReportKeyUseRequest): Promise<ReportKeyUseResponse> => {
    const note = async ({ key: ref, usedAt }: KeyUse) => {
      const key = ref && (await keys.get(tenantOf(ref), ref.keyId))
      const at = usedAt && Math.min(timestampMs(usedAt), clock.now())
      if (!key || at === undefined) return
      const last_used_at = at - (at % MINUTE_MS)
      if (last_used_at <= (key.last_used_at ?? 0)) return
      // A conflict says that the key has changed just now: the next report is noted.
      const { version } = key
      await keys.write({ kind: 'replace', version, document: { ...key, last_used_at }, events: [] })
    }
    await Promise.all(uses.map(note))
    return { $typeName: 'millhand.identity.v1.ReportKeyUseResponse' }
  }
