/** Webhooks: how many deliveries a process makes, how soon beside dead endpoints, and what a backlog holds in memory. */
import { startChild } from '../child.ts'
import type { Figure } from '../figure.ts'
import type { Answer, Question } from '../fill/webhooks-child.ts'
import type { Filling } from '../fill/webhooks-fill-child.ts'
import type { Memory } from '../fill/webhooks-process.ts'
import type { Workbench } from '../workbench.ts'

/** Endpoints that answer, and events that each of them hears of. */
const [WELL, EVENTS] = [10, 1_000]
/** Endpoints of ten accounts that answer with 500, and their deliveries. */
const [FAILING, FEW, MANY] = [1_000, 100_000, 1_000_000]
/** So long that claims, sweeps and refills of the backlog are in it. */
const LEAST_S = 35
/** A backlog that is ten times as long takes so much of what the shorter one takes. */
const MOST_RATIO = 1.1

export async function webhooks(workbench: Workbench): Promise<Figure[]> {
  const rates: number[] = []
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < workbench.rounds; round++) {
    rates.push(rate(await delivered(workbench, { unread: EVENTS })))
    alone.push(p99(await paced(workbench, { dead: 0 }, ['acct_well'])))
    beside.push(p99(await paced(workbench, { dead: 200 }, ['acct_well', 'acct_dead0', 'acct_dead1'])))
  }
  const few = await delivered(workbench, { failing: FAILING, backlog: FEW, unread: EVENTS }, LEAST_S)
  const many = await delivered(workbench, { failing: FAILING, backlog: MANY, unread: EVENTS }, LEAST_S)

  const figure = (name: string, unit: string, rounds: readonly number[]) =>
    ({ section: 'webhooks', name, unit, rounds, limits: [], details: {} }) satisfies Figure
  const backlog = (name: string, unit: string, of: (measured: Delivered) => number, mostRatio?: number): Figure => ({
    ...figure(`${MANY.toLocaleString('en')} waiting: ${name}`, unit, [of(many)]),
    limits: [{ name: `${FEW.toLocaleString('en')} waiting`, rounds: [of(few)], ...(mostRatio && { mostRatio }) }],
  })
  const deliveries = `${(WELL * EVENTS).toLocaleString('en')} deliveries to ${WELL} endpoints`
  return [
    { ...figure(`${deliveries}, from the log on`, '/s', rates), aim: { least: 1_000 } },
    { ...figure('200 deliveries/s, p99 from the change to the answer', 'ms', alone), aim: { most: 1_000 } },
    { ...figure('the same beside 200 dead endpoints', 'ms', beside), aim: { most: 1_000 } },
    backlog('deliveries to others beside', '/s', rate),
    backlog('most resident', 'MB', ({ residentBytes }) => residentBytes / 1e6, MOST_RATIO),
    backlog('in use', 'MB', ({ heapBytes }) => heapBytes / 1e6, MOST_RATIO),
    backlog('most resident while they came', 'MB', ({ filled }) => filled.residentBytes / 1e6),
    backlog('in use when they had come', 'MB', ({ filled }) => filled.heapBytes / 1e6, MOST_RATIO),
  ]
}

const rate = ({ seconds }: Answer): number => (WELL * EVENTS) / seconds
const p99 = ({ ms }: Answer): number => ms[Math.ceil(ms.length * 0.99) - 1] ?? Number.NaN

interface Delivered extends Answer {
  /** What it took to fill the store. */
  readonly filled: Memory
}

/** The events that are in the log. */
const delivered = (workbench: Workbench, filling: Partial<Filling>, leastSeconds = 0): Promise<Delivered> =>
  measured(workbench, filling, { answers: WELL * EVENTS, leastSeconds })

/** 20 events a second of each account. */
function paced(workbench: Workbench, filling: Partial<Filling>, accounts: readonly string[]): Promise<Delivered> {
  const events = workbench.seconds * 20
  const happening = { accounts, events: events * accounts.length, perSecond: 20 * accounts.length }
  return measured(workbench, filling, { answers: WELL * events, happening, leastSeconds: 0 })
}

async function measured(
  workbench: Workbench,
  filling: Partial<Filling>,
  question: Omit<Question, 'folder'>,
): Promise<Delivered> {
  const folder = workbench.folder()
  await using receiver = startChild<null, number>(new URL('../fill/receiver-child.ts', import.meta.url))
  const port = await receiver.ask(null)
  const filled = await fill({ folder, port, well: WELL, dead: 0, failing: 0, backlog: 0, unread: 0, ...filling })
  await using child = startChild<Question, Answer>(new URL('../fill/webhooks-child.ts', import.meta.url))
  return { ...(await child.ask({ ...question, folder })), filled }
}

async function fill(filling: Filling): Promise<Memory> {
  await using child = startChild<Filling, Memory>(new URL('../fill/webhooks-fill-child.ts', import.meta.url))
  return await child.ask(filling)
}
