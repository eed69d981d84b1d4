/** What is billed, entry by entry, against the tasks that ran. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '@millhand/test-e2e/http'
import { runOperator } from '../../../deploy/src/operator/run-operator.ts'
import { isTerminal, type Logged } from './history-checks.ts'
import type { System } from './system.ts'

type Ask = (method: string, path: string) => Promise<Answer>

/** What a task has to be billed. */
interface Charge {
  /** Micro-dollars. */
  readonly micros: bigint
  /** The event that says so, where that is known. */
  readonly event?: string
}

/** What tasks have to be billed, by their ids. */
export type Charges = ReadonlyMap<string, Charge>

/** What is billed for an account, of all months. */
export interface Bill {
  readonly tasks: ReadonlyMap<string, BilledTask>
  /** What contradicts itself, in words. */
  readonly faults: readonly string[]
}

interface BilledTask {
  readonly micros: bigint
  /** The events of its entries. */
  readonly events: ReadonlySet<string>
}

/** By what the tasks themselves say. */
export async function chargesOfTasks(ask: Ask, lists: readonly string[] = ['/v1/tasks']): Promise<Charges> {
  const charges = new Map<string, Charge>()
  for (const list of lists)
    for await (const { id, cost } of pagesOf(ask, list)) charges.set(id, { micros: cost ? microsOf(cost) : 0n })
  return charges
}

/** By the history: each task by the event of its end. One that never ran costs nothing. */
export function chargesOfHistory(events: readonly Logged[]): Charges {
  const ran = new Set(events.filter(({ type }) => type === 'task.started').map(({ task }) => task))
  const ends = events.filter(({ status }) => isTerminal(status))
  return new Map(
    ends.map(({ task, id, cost = '0' }) => [
      task,
      { micros: ran.has(task) ? microsOf({ amount: cost }) : 0n, event: id },
    ]),
  )
}

/** Every breach, in words: each task is billed what it has to be, once, by its own event, and nothing else is billed. */
export function billFaults({ tasks, faults }: Bill, charges: Charges): string[] {
  const found = [...faults]
  for (const [id, { micros, event }] of charges) {
    const billed = tasks.get(id)
    const is = billed?.micros ?? 0n
    if (is !== micros) found.push(`${id}: costs ${micros} micro-dollars, and ${is} are billed`)
    const others = [...(billed?.events ?? [])].filter(each => event !== undefined && each !== event)
    if (others.length > 0) found.push(`${id}: ended with ${event}, and is billed by ${others.join(', ')}`)
  }
  for (const id of tasks.keys()) if (!charges.has(id)) found.push(`${id}: is billed and does not exist`)
  return found
}

/** The bill, once it has all charges; after `limitMs` the bill as it is then. */
export async function settledBill(ask: Ask, charges: Charges, limitMs: number): Promise<Bill> {
  for (const deadline = performance.now() + limitMs; ; await pause(300)) {
    const bill = await readBill(ask)
    if (billFaults(bill, charges).length === 0 || performance.now() > deadline) return bill
  }
}

/** What differs when all entries are added up anew, by `pnpm millhand billing verify`. */
export async function verifyFaults(operator: NodeJS.ProcessEnv): Promise<string[]> {
  for (const deadline = performance.now() + READ_LIMIT_MS; ; await pause(500)) {
    const said: string[] = []
    const say = (text: string) => void said.push(text)
    const code = await runOperator(['billing', 'verify', '--json'], operator, { out: say, err: say })
    if (code === 0) return []
    // After a storm the machine is still busy.
    if (code !== NOT_REACHED || performance.now() > deadline)
      return [`billing verify ends with ${code}: ${said.join(' ')}`]
  }
}

/** What a command ends with that nobody answered. */
const NOT_REACHED = 3

/**
 * The same for all tasks of some accounts, by what the tasks say themselves: for storms that read no history. `keys` are
 * live ones, so a task of test mode that is billed is found as well. Tasks may still run: they cost nothing yet.
 */
export async function taskBillFaults(accounts: BilledAccounts, limitMs: number): Promise<string[]> {
  const { keys, lists, urls, operator } = accounts
  const ofAccount = async (key: string) => {
    const ask: Ask = (method, path) => send(method, urls()[0] + path, { headers: { authorization: `Bearer ${key}` } })
    for (const deadline = performance.now() + limitMs; ; await pause(300)) {
      const charges = await chargesOfTasks(ask, lists)
      const found = billFaults(await readBill(ask), charges)
      if (found.length === 0 || performance.now() > deadline) return found
    }
  }
  const found: string[] = []
  for (const key of keys) found.push(...(await ofAccount(key)))
  return [...found, ...(await verifyFaults(operator))]
}

interface BilledAccounts extends Pick<System, 'urls' | 'operator'> {
  readonly keys: readonly string[]
  /** The paths of their tasks; `/v1/tasks` where it is not set. */
  readonly lists?: readonly string[]
}

/** The lines of the months that go on or have closed meanwhile, down to their entries. */
async function readBill(ask: Ask): Promise<Bill> {
  const lines = [...(await bodyOf(ask, '/v1/billing')).lines]
  for (const { id } of (await bodyOf(ask, '/v1/billing')).invoices)
    lines.push(...(await bodyOf(ask, `/v1/billing/invoices/${id}`)).lines)
  const faults: string[] = []
  const seen = new Set<string>()
  const tasks = new Map<string, { micros: bigint; events: Set<string> }>()
  for (const line of lines) {
    if (line.kind === 'subscription' || line.kind === 'credit') continue
    let sum = 0n
    for await (const entry of pagesOf(ask, `/v1/billing/lines/${line.id}/entries`)) {
      if (seen.has(entry.id)) faults.push(`${entry.id}: is billed twice`)
      seen.add(entry.id)
      const task = tasks.get(entry.task_id) ?? { micros: 0n, events: new Set<string>() }
      tasks.set(entry.task_id, task)
      task.micros += microsOf(entry.amount)
      task.events.add(entry.event_id)
      sum += microsOf(entry.amount)
    }
    if (sum !== microsOf(line.amount))
      faults.push(`the line ${line.description} is ${line.amount.amount}, and its entries come to ${sum} micro-dollars`)
  }
  return { tasks, faults }
}

async function* pagesOf(ask: Ask, path: string) {
  for (let cursor = ''; ; ) {
    const body = await bodyOf(ask, `${path}?limit=100${cursor && `&cursor=${cursor}`}`)
    yield* body.data
    if (!body.has_more) return
    cursor = encodeURIComponent(body.next_cursor)
  }
}

/** A read that no service could answer in time, or that an account has no rate for, is sent again, as a client does. */
async function bodyOf(ask: Ask, path: string): Promise<Answer['body']> {
  for (const deadline = performance.now() + READ_LIMIT_MS; ; await pause(500)) {
    const { status, body, text } = await ask('GET', path)
    if (status === 200) return body
    if (![429, 503, 504].includes(status) || performance.now() > deadline) throw new Error(`${path}: ${status} ${text}`)
  }
}

/** More than the window of a rate. */
const READ_LIMIT_MS = 300_000

const microsOf = ({ amount }: { readonly amount: string }): bigint => BigInt(amount.replace('.', ''))
