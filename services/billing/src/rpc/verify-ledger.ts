import type { HandlerContext } from '@connectrpc/connect'
import type {
  VerifyLedgerRequest,
  VerifyLedgerResponse,
} from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import type { Clock } from '@millhand/process'
import { principal } from '@millhand/rpc'
import { type VerifyDeps, verifyLedger as verified } from '../ledger/verify-ledger.ts'

const MOST_DIFFERENCES = 1_000

export const verifyLedger =
  (deps: VerifyDeps & { readonly clock: Clock; readonly entriesKeptMs: number }) =>
  async ({ month }: VerifyLedgerRequest, call: HandlerContext): Promise<VerifyLedgerResponse> => {
    const since = deps.clock.now() - deps.entriesKeptMs
    const { entries, differences, changedMeanwhile } = await verified(deps, principal(call).tenant, since, month)
    return {
      $typeName: 'millhand.billing.v1.VerifyLedgerResponse',
      ...{ entries: BigInt(entries), changedMeanwhile },
      differences: differences
        .slice(0, MOST_DIFFERENCES)
        .map(each => ({ $typeName: 'millhand.billing.v1.LedgerDifference', ...each })),
    }
  }
