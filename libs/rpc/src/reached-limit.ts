/** The spending limit that an account has reached, for a call that may spend more or not: the service knows. */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { base64Decode, base64Encode } from '@bufbuild/protobuf/wire'
import { createContextKey } from '@connectrpc/connect'
import { type ReachedLimit, ReachedLimitSchema } from '@millhand/api/gen/millhand/billing/v1/spending_limit_pb.ts'

/** There once the limit is reached that the method's `may_spend` names: what spends more is refused. */
export const reachedLimitKey = createContextKey<ReachedLimit | undefined>(undefined, { description: 'reached limit' })

export const writeReachedLimit = (limit: ReachedLimit): string => base64Encode(toBinary(ReachedLimitSchema, limit))

/** The limit, or undefined where the text is none. */
export function parseReachedLimit(text: string): ReachedLimit | undefined {
  try {
    return text === '' ? undefined : fromBinary(ReachedLimitSchema, base64Decode(text))
  } catch {
    return undefined
  }
}
