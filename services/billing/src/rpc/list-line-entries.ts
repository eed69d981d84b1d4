import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { type Cursors, fail } from '@millhand/api'
import type {
  LedgerEntry,
  ListLineEntriesRequest,
  ListLineEntriesResponse,
} from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { principal } from '@millhand/rpc'
import type { Collection } from '@millhand/store'
import type { BillDeps } from '../billing-deps.ts'
import { billOf } from '../ledger/bill.ts'
import { chargeOfStored, entryLine, type UsageFamily, usageOf } from '../ledger/charges.ts'
import { LEDGER_ID } from '../ledger/ledger.ts'
import { keyText, type LineKey } from '../ledger/line.ts'
import { parseLineId } from '../ledger/line-id.ts'
import { type Month, spanOf } from '../ledger/month.ts'
import type { EntryRecord } from '../usage/usage-entry.ts'
import { moneyMessage } from './money-message.ts'

export interface LineEntriesDeps extends BillDeps {
  readonly usage: Readonly<
    Record<UsageFamily, { readonly entries: Pick<Collection<EntryRecord, 'by_end' | 'by_line'>, 'find'> }>
  >
  readonly cursors: Cursors
}

/** Lists the entries of a line. A page of a line of tokens may be short: not every task used some. */
export const listLineEntries =
  (deps: LineEntriesDeps) =>
  async (req: ListLineEntriesRequest, call: HandlerContext): Promise<ListLineEntriesResponse> => {
    const { tenant, mode } = principal(call)
    const { id, limit = 20, order = Order.DESC, cursor } = req
    const line = parseLineId(tenant, id)
    const isMissing = () => fail('not_found', 'There is no such line.')
    if (line === undefined) throw isMissing()
    const { month, key } = line
    const boundTo = JSON.stringify([tenant, 'line_entries', id, order])
    const position = cursor === undefined ? undefined : (deps.cursors.open(cursor, boundTo) as [number, string])
    const found = await deps.usage[usageOf(key)].entries.find('by_line', {
      equals: [tenant, entryLine(month, key)],
      ...(position && { [order === Order.ASC ? 'after' : 'before']: position }),
      order: order === Order.ASC ? 'asc' : 'desc',
      limit: limit + 1,
    })
    const page = found.slice(0, limit)
    const data = page.flatMap(entry => entryMessage(key, entry, mode === 'test'))
    // Entries show that there is the line; without them its bill is looked at.
    if (data.length === 0 && !(await exists(deps, tenant, line))) throw isMissing()
    const last = page.at(-1)
    const hasMore = found.length > limit
    return {
      $typeName: 'millhand.billing.v1.ListLineEntriesResponse',
      data,
      hasMore,
      ...(hasMore && last && { nextCursor: deps.cursors.seal([last.finished_at, last.id], boundTo) }),
    }
  }

/** In the bill so far, or on an invoice. */
async function exists(
  { ledgers, invoices, prices, clock }: LineEntriesDeps,
  tenant: string,
  { month, key }: { readonly month: Month; readonly key: LineKey },
): Promise<boolean> {
  const text = keyText(key)
  const isIt = (line: LineKey) => keyText(line) === text
  const ledger = await ledgers.get(tenant, LEDGER_ID)
  if (ledger && month >= ledger.open_from) {
    return billOf(ledger, month, Math.min(clock.now(), spanOf(month).end), prices).some(isIt)
  }
  const [invoice] = await invoices.find('by_month', { equals: [tenant, month], limit: 1 })
  return invoice?.lines.some(isIt) ?? false
}

function entryMessage(key: LineKey, entry: EntryRecord, isSandbox: boolean): LedgerEntry[] {
  const isTokens = (key.of ?? key.kind) === 'tokens'
  const { id, event_id = '', finished_at, compute_ms, input_tokens, output_tokens, cost_micros } = entry
  const { token_micros, would_micros } = chargeOfStored(entry)
  const would = isTokens ? token_micros : would_micros - token_micros
  const tokens = input_tokens + output_tokens
  if (isTokens && tokens === 0 && token_micros === 0) return []
  return [
    {
      $typeName: 'millhand.billing.v1.LedgerEntry',
      id: `${id}:${isTokens ? 'tokens' : 'compute'}`,
      eventId: event_id,
      ...(usageOf(key) === 'instances' ? { instanceId: entry.model } : { taskId: id }),
      at: timestampFromMs(finished_at),
      quantity: isTokens ? tokens : compute_ms / 1_000,
      amount: moneyMessage(isTokens ? token_micros : cost_micros - token_micros),
      ...(isSandbox && { wouldHaveCost: moneyMessage(would) }),
    },
  ]
}
