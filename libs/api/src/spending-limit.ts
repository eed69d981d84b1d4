import { timestampMs } from '@bufbuild/protobuf/wkt'
import { fail } from './errors.ts'
import { BillingFamilySchema } from './gen/millhand/billing/v1/billing_pb.ts'
import type { ReachedLimit } from './gen/millhand/billing/v1/spending_limit_pb.ts'
import { enumWords } from './json/enum-words.ts'

const families = enumWords(BillingFamilySchema)

/** The error of a create of a family whose spending limit is reached. */
export function spendingLimitReached({ family: number, limit, spent, resetsAt }: ReachedLimit) {
  const family = families.get(number) ?? ''
  const until = new Date(resetsAt === undefined ? 0 : timestampMs(resetsAt)).toISOString()
  const [most, soFar] = [limit?.amount ?? '', spent?.amount ?? '']
  const detail =
    `The spending limit of ${family} is reached: ${soFar} of ${most} USD are spent. ` +
    `Creates are accepted again at ${until}, or once \`PUT /v1/billing/limits\` raises the limit.`
  return fail('spending_limit_reached', detail, { metadata: { family, limit: most, spent: soFar, resets_at: until } })
}
