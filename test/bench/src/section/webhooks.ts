/** Webhooks: how many deliveries a process makes, how soon beside dead endpoints, and what a backlog holds in memory. */
import { startChild } from '../child.ts'
import type { Figure } from '../figure.ts'
import type { Answer, Question } from '../fill/webhooks-child.ts'
import { memoryDuring } from '../memory-during.ts'
import type { Workbench } from '../workbench.ts'

type Setting = Omit<Question, 'folder' | 'port'>

const EVENTS = 10_000
/** Dead endpoints of ten accounts, each of which hears of all its account's events. */
const DEAD = 1_000

export async function webhooks(workbench: Workbench): Promise<Figure[]> {
  const rates: number[] = []
  const alone: Answer[] = []
  const beside: Answer[] = []
  for (let round = 0; round < workbench.rounds; round++) {
    const { result } = await measured(workbench, { well: 10, dead: 0, events: EVENTS / 10 })
    rates.push(result.deliveries / result.seconds)
    const paced = { well: 10, events: workbench.seconds * 20 }
    alone.push((await measured(workbench, { ...paced, dead: 0, perSecond: 20 })).result)
    // Three accounts then: each event of the one that is well comes as often as before.
    beside.push((await measured(workbench, { ...paced, dead: 200, perSecond: 60 })).result)
  }
  const held = async (rows: number) => {
    const { moreBytes } = await measured(workbench, { well: 0, dead: DEAD, events: rows / DEAD })
    return moreBytes / 1e6
  }
  const [few, many] = [await held(100_000), await held(1_000_000)]
  return [
    {
      section: 'webhooks',
      name: `${EVENTS.toLocaleString('en')} deliveries to 10 endpoints, from the log on`,
      unit: '/s',
      rounds: rates,
      aim: { least: 1_000 },
      limits: [],
      details: {},
    },
    {
      section: 'webhooks',
      name: '200 deliveries/s, p99 from the change to the answer',
      unit: 'ms',
      rounds: alone.map(p99),
      aim: { most: 1_000 },
      limits: [],
      details: {},
    },
    {
      section: 'webhooks',
      name: 'the same beside 200 dead endpoints',
      unit: 'ms',
      rounds: beside.map(p99),
      aim: { most: 1_000 },
      limits: [],
      details: {},
    },
    {
      section: 'webhooks',
      name: 'more memory with 1,000,000 deliveries to dead endpoints',
      unit: 'MB',
      rounds: [many],
      limits: [{ name: '100,000', rounds: [few] }],
      details: {},
    },
  ]
}

const p99 = ({ ms }: Answer): number => ms[Math.ceil(ms.length * 0.99) - 1] ?? Number.NaN

async function measured(workbench: Workbench, setting: Setting) {
  await using receiver = startChild<null, number>(new URL('../fill/receiver-child.ts', import.meta.url))
  await using child = startChild<Question, Answer>(new URL('../fill/webhooks-child.ts', import.meta.url))
  const port = await receiver.ask(null)
  return await memoryDuring(
    () => [child.pid],
    () => child.ask({ ...setting, folder: workbench.folder(), port }),
  )
}
