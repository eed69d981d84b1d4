import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { PostCreditRequest, PostCreditResponse } from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import type { Clock } from '@millhand/process'
import { principal } from '@millhand/rpc'
import type { Draft } from '@millhand/store'
import { type CreditRecord, type Credits, creditId, creditLine } from '../ledger/credit.ts'
import type { LedgerRecord } from '../ledger/ledger.ts'
import { withCharges } from '../ledger/line.ts'
import type { Posting } from '../ledger/posting.ts'
import { familyOf } from './line-message.ts'
import { moneyMessage } from './money-message.ts'

interface CreditDeps {
  readonly posting: Pick<Posting, 'change'>
  readonly credits: Pick<Credits, 'get'>
  readonly clock: Clock
}

/** Posts a credit or a charge. Fails with `idempotency_mismatch` where the key has posted another one. */
export const postCredit =
  ({ posting, credits, clock }: CreditDeps) =>
  async (req: PostCreditRequest, call: HandlerContext): Promise<PostCreditResponse> => {
    const { tenant, mode } = principal(call)
    if (mode === 'test') throw fail('invalid_state', 'The sandbox has no invoices: nothing can be credited there.')
    const id = creditId(tenant, req.key)
    const family = familyOf(req.family)
    // What is given back is negative on the bill.
    const asked = { tenant, id, family, micros: -Number(req.micros), reason: req.reason, by: req.by, at: clock.now() }
    let posted: Draft<CreditRecord> | undefined
    await posting.change(tenant, async ledger => {
      posted = await credits.get(tenant, id)
      if (posted) return undefined
      posted = { ...asked, month: ledger.open_from }
      return withCredit(ledger, posted)
    })
    const isSame = (['family', 'micros', 'reason'] as const).every(field => posted?.[field] === asked[field])
    if (posted === undefined || !isSame)
      throw fail('idempotency_mismatch', 'This key has posted another credit: use another key.')
    return {
      $typeName: 'millhand.billing.v1.PostCreditResponse',
      ...{ id, month: posted.month, by: posted.by, reason: posted.reason },
      amount: moneyMessage(posted.micros),
      at: timestampFromMs(posted.at),
    }
  }

/** The ledger with a credit in its first open month: that is on the next invoice. */
function withCredit(ledger: Draft<LedgerRecord>, crediting: Draft<CreditRecord>): Draft<LedgerRecord> {
  const { month } = crediting
  const before = ledger.months.find(sums => sums.month === month)?.lines ?? []
  const sums = { month, lines: withCharges(before, [creditLine(crediting)]) }
  return { ...ledger, months: [sums, ...ledger.months.filter(each => each.month !== month)], crediting }
}
