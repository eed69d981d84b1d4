/** What billing costs: metering the ends of tasks, and the bill and the invoice of an account with a million of them. */
import { startChild } from '../child.ts'
import { type Figure, median } from '../figure.ts'
import type { Answer, Question } from '../fill/billing-child.ts'
import { sqliteInserts } from '../limit/limits.ts'
import type { Workbench } from '../workbench.ts'

const TASKS = 1_000_000
const QUERIES = 1_000
/** Of an entry. */
const ENTRY_BYTES = 400

export async function billing(workbench: Workbench): Promise<Figure[]> {
  await using child = startChild<Question, Answer>(new URL('../fill/billing-child.ts', import.meta.url))
  const question = { folder: workbench.folder(), tasks: TASKS, queries: QUERIES }
  const { eventsPerSecond, cpuUs, growthMib, invoiceMs, bill } = await child.ask(question)
  await using sqlite = sqliteInserts()
  const inserts = { folder: workbench.folder(), documentBytes: ENTRY_BYTES, eventBytes: 1 }
  const limit = await sqlite.ask({ ...inserts, seconds: workbench.seconds })
  const p99 = bill.toSorted((a, b) => a - b)[Math.ceil(bill.length * 0.99) - 1] as number
  const figure = (name: string, unit: string, value: number, aim: NonNullable<Figure['aim']>): Figure => ({
    ...{ section: 'billing', name, unit, rounds: [value], aim, limits: [], details: {} },
  })
  const many = `${TASKS.toLocaleString('en')} entries`
  return [
    {
      ...figure('ends of tasks metered', '/s', eventsPerSecond, { least: 20_000 }),
      details: { cpu_us: cpuUs },
      limits: [{ name: 'SQLite inserts of two rows', rounds: [limit] }],
    },
    figure(`memory that ${many} add`, 'MiB', growthMib, { most: 64 }),
    { ...figure(`GET /v1/billing at ${many}, p99`, 'ms', p99, { most: 20 }), details: { p50_ms: median(bill) } },
    figure(`the invoice of a month of ${many}`, 'ms', invoiceMs, { most: 2_000 }),
  ]
}
