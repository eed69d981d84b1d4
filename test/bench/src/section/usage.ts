/** What usage costs: counting the events of tasks, and a month's query with a million of them. */
import { startChild } from '../child.ts'
import { type Figure, median } from '../figure.ts'
import type { Answer, Question } from '../fill/usage-child.ts'
import { sqliteInserts } from '../limit/limits.ts'
import type { Workbench } from '../workbench.ts'

const MANY = 1_000_000
const QUERIES = 100
/** Of an entry. */
const ENTRY_BYTES = 300
/** The contract's for 99 % of requests, of which the gateway and the way to billing need a part. */
const MOST_MS = 50

export async function usage(workbench: Workbench): Promise<Figure[]> {
  const { eventsPerSecond, ...queries } = await measured(workbench, MANY)
  await using sqlite = sqliteInserts()
  const inserts = { folder: workbench.folder(), documentBytes: ENTRY_BYTES, eventBytes: ENTRY_BYTES }
  const limit = await sqlite.ask({ ...inserts, seconds: workbench.seconds })
  const query = (name: string, ms: readonly number[]): Figure => ({
    section: 'usage',
    name: `a query of 30 days, ${name}`,
    unit: 'ms',
    rounds: [median(ms)],
    aim: { most: MOST_MS },
    limits: [],
    details: { p99_ms: ms.toSorted((a, b) => a - b)[Math.ceil(ms.length * 0.99) - 1] as number },
  })
  return [
    {
      section: 'usage',
      name: 'ends of tasks counted',
      unit: '/s',
      rounds: [eventsPerSecond],
      // The most that one process takes in, several times.
      aim: { least: 5_000 },
      limits: [{ name: 'SQLite inserts of two rows', rounds: [limit] }],
      details: {},
    },
    query(`${MANY.toLocaleString('en')} tasks of the account`, queries.many),
    query(`${MANY.toLocaleString('en')} tasks, by model`, queries.manyByModel),
    query('30 tasks, the million another’s', queries.few),
  ]
}

async function measured(workbench: Workbench, tasks: number): Promise<Answer> {
  await using child = startChild<Question, Answer>(new URL('../fill/usage-child.ts', import.meta.url))
  return await child.ask({ folder: workbench.folder(), tasks, queries: QUERIES })
}
