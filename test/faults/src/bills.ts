/** What is billed, entry by entry, against the tasks that ran. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '@millhand/test-e2e/http'

type Ask = (method: string, path: string) => Promise<Answer>

/** Waits until each task is billed once, at its cost; after `limitMs` it says in words what is billed instead. */
export async function billFaults(ask: Ask, limitMs: number): Promise<string[]> {
  const costs = new Map<string, bigint>()
  for await (const { id, cost } of pagesOf(ask, '/v1/tasks')) costs.set(id, cost ? microsOf(cost) : 0n)
  for (const deadline = performance.now() + limitMs; ; await pause(300)) {
    const faults = await look(ask, costs)
    if (faults.length === 0 || performance.now() > deadline) return faults
  }
}

/** Lines of the months that go on or have closed meanwhile, down to their entries. */
async function look(ask: Ask, costs: ReadonlyMap<string, bigint>): Promise<string[]> {
  const { body: bill } = await ask('GET', '/v1/billing')
  const lines = [...(bill.lines ?? [])]
  for (const { id } of bill.invoices ?? []) {
    const { body } = await ask('GET', `/v1/billing/invoices/${id}`)
    lines.push(...body.lines)
  }
  const faults: string[] = []
  const billed = new Map<string, bigint>()
  for (const line of lines) {
    if (line.family !== 'compute' || (line.kind !== 'compute' && line.kind !== 'adjustment')) continue
    let sum = 0n
    for await (const entry of pagesOf(ask, `/v1/billing/lines/${line.id}/entries`)) {
      if (billed.has(entry.task_id)) faults.push(`${entry.task_id}: is billed twice`)
      billed.set(entry.task_id, microsOf(entry.amount))
      sum += microsOf(entry.amount)
    }
    if (sum !== microsOf(line.amount))
      faults.push(`the line ${line.description} is ${line.amount.amount}, and its entries come to ${sum} micro-dollars`)
  }
  for (const [id, cost] of costs) {
    const is = billed.get(id) ?? 0n
    if (is !== cost) faults.push(`${id}: costs ${cost} micro-dollars, and ${is} are billed`)
  }
  for (const id of billed.keys()) if (!costs.has(id)) faults.push(`${id}: is billed and does not exist`)
  return faults
}

async function* pagesOf(ask: Ask, path: string) {
  for (let cursor = ''; ; ) {
    const { status, body, text } = await ask('GET', `${path}?limit=100${cursor && `&cursor=${cursor}`}`)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    yield* body.data
    if (!body.has_more) return
    cursor = encodeURIComponent(body.next_cursor)
  }
}

const microsOf = ({ amount }: { readonly amount: string }): bigint => BigInt(amount.replace('.', ''))
