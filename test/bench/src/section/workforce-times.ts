/** Processor time of each kind of work that rules do: its example, and a brief at its limit. In this process, without a server. */
import { type KindSpec, readCatalogue } from '@millhand/employees/catalogue'
import { runRules } from '@millhand/employees/run-rules'
import { loadableKinds, processorLimitMs } from '@millhand/employees/runner'
import { type Figure, median } from '../figure.ts'
import { largestBriefs } from '../workforce/briefs/largest.ts'
import { kindsOfRules } from '../workforce/briefs/server.ts'

/** What half of the runs of an example may take at most, once everything is loaded. */
const MOST_MS = 300
/** Pictures, reports and forecasts. */
const MOST_MS_OF_LONGER = 2_000
const longer = ['sarah', 'create_report', 'forecast']

const RUNS = 15
const RUNS_OF_LARGEST = 3

export async function* workforceTimes(): AsyncGenerator<Figure> {
  const largest = largestBriefs()
  for (const kind of kindsOfRules()) {
    const name = `${kind.employee} ${kind.id}`
    const atLimit = largest[name]
    if (!atLimit) throw new Error(`There is no largest brief for ${name}.`)
    const most = longer.some(word => name.includes(word)) ? MOST_MS_OF_LONGER : MOST_MS
    await runRules(kind, briefOf(kind.example)) // Loads and compiles, as each process of a kind does before its first task.
    yield await timeOf(kind, 'the example', kind.example, RUNS, { most })
    yield await timeOf(kind, 'the largest brief', atLimit, RUNS_OF_LARGEST)
  }
}

async function timeOf(
  kind: KindSpec,
  size: string,
  request: object,
  runs: number,
  aim?: { readonly most: number },
): Promise<Figure> {
  const brief = briefOf(request)
  const processor: number[] = []
  const elapsed: number[] = []
  for (let run = 0; run < runs; run++) {
    const [usedBefore, began] = [process.cpuUsage(), performance.now()]
    await runRules(kind, brief)
    const { user, system } = process.cpuUsage(usedBefore)
    processor.push((user + system) / 1_000)
    elapsed.push(performance.now() - began)
  }
  const input = JSON.stringify(brief)
  return {
    section: 'workforce-times',
    name: `${kind.employee} ${kind.id}: ${size}`,
    unit: 'ms',
    rounds: processor,
    ...(aim && { aim }),
    limits: [{ name: 'what a run may use', rounds: [limitOf(kind, input)], cited: 'kind.json', mostRatio: 1 }],
    details: { elapsed_ms: median(elapsed), brief_kib: Buffer.byteLength(input) / 1_024 },
  }
}

const briefOf = (request: object) => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input: {},
  ...request,
})

function limitOf({ employee, id }: KindSpec, input: string): number {
  const loadable = kinds.get(`${employee}/${id}`)
  if (loadable?.status !== 'ready') throw new Error(`${employee} does no ${id}.`)
  return processorLimitMs(loadable.processor, { input, parameters: undefined })
}

const kinds = loadableKinds(readCatalogue())
