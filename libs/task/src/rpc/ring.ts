import type { RingRequest, RingResponse } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import type { DocumentRef } from '@millhand/store'

/** Hears which documents another replica has changed. */
export const ring =
  (onRing: (documents: readonly DocumentRef[]) => void) =>
  async (req: RingRequest): Promise<RingResponse> => {
    onRing(req.documents)
    return { $typeName: 'millhand.lease.v1.RingResponse' }
  }
