/** What a caller waits for each kind that rules do, from the create to the result: its example, and a larger brief. */
import type { Figure } from '../figure.ts'
import { targetOf, type Workbench } from '../workbench.ts'
import { largerBriefs } from './briefs/larger.ts'
import { kindsOfRules, requestOf, serverWithoutQuota } from './briefs/server.ts'

const MOST_MS = 300
/** Pictures, reports and forecasts. */
const MOST_MS_OF_LONGER = 2_000
const longer = ['sarah', 'create_report', 'forecast']

const TIMES = 20
/** As many before them: code is compiled by use. */
const WARM = 5

export async function figures(workbench: Workbench): Promise<Figure[]> {
  await using server = await serverWithoutQuota(workbench)
  const larger = largerBriefs()
  const target = targetOf(server)
  const expect = { status: 201, body: '"status":"succeeded"' }
  const all: Figure[] = []
  for (const kind of kindsOfRules()) {
    const name = `${kind.employee} ${kind.id}`
    for (const [size, brief] of [
      ['the example', kind.example],
      ['a larger brief', larger[name]],
    ] as const) {
      if (brief === undefined) throw new Error(`There is no larger brief for ${name}.`)
      const plan = { connections: 1, requests: [requestOf(kind, brief)], expect }
      const first = await workbench.measure(target, { ...plan, until: { requests: 1 } })
      await workbench.measure(target, { ...plan, until: { requests: WARM } })
      const { latency } = await workbench.measure(target, { ...plan, until: { requests: TIMES } })
      all.push({
        section: 'workforce',
        name: `${name} by REST: ${size}, p50`,
        unit: 'ms',
        rounds: [latency.p50],
        aim: { most: longer.some(word => name.includes(word)) ? MOST_MS_OF_LONGER : MOST_MS },
        limits: [],
        details: { first_ms: first.latency.max, p90_ms: latency.p90, most_ms: latency.max },
      })
    }
  }
  return all
}
