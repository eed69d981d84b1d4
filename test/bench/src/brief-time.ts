/** How long an engine of rules takes for a brief, in the process that it is asked in. */
import type { KindSpec } from '@millhand/employees/catalogue'
import { readCatalogue } from '@millhand/employees/catalogue'
import { runRules } from '@millhand/employees/run-rules'
import { type Figure, median } from './figure.ts'

/** What half of the briefs may take at most, in milliseconds, with everything that is loaded for the first one loaded. */
const MOST_MS = 300
const TIMES = 15

/** The median of the kind's example, beside the most that it may take. */
export async function exampleTime(employee: string, id: string, most = MOST_MS): Promise<Figure> {
  const kind = kindNamed(employee, id)
  const brief = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: {}, ...kind.example }
  const times: number[] = []
  for (let time = 0; time <= TIMES; time++) {
    const began = performance.now()
    await runRules(kind, brief)
    times.push(performance.now() - began)
  }
  const [first = Number.NaN, ...warm] = times
  return {
    section: 'workforce',
    name: `${employee} ${id}: the example`,
    unit: 'ms',
    rounds: [median(warm)],
    aim: { most },
    limits: [],
    details: { first_ms: first, most_ms: Math.max(...warm) },
  }
}

function kindNamed(employee: string, id: string): KindSpec {
  const kinds = readCatalogue().find(candidate => candidate.id === employee)?.kinds
  const kind = kinds?.find(candidate => candidate.id === id)
  if (!kind) throw new Error(`${employee} does no ${id}.`)
  return kind
}
