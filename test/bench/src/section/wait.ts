/** How long a caller that waits for the answer waits: beside a node:http that answers at once. */
import { alternate } from '../alternate.ts'
import { digitsTasks, succeeded } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { rawHttp } from '../limit/limits.ts'
import { targetOf, type Workbench } from '../workbench.ts'

export async function wait(workbench: Workbench): Promise<Figure[]> {
  await using server = await workbench.server()
  await using raw = await rawHttp({ answerBytes: 1000 })
  const requests = await digitsTasks(server, 30)
  const figures: Figure[] = []
  for (const connections of [1, 64]) {
    const plan = { connections, requests, until: { seconds: workbench.seconds } }
    const { us, http } = await alternate(workbench.rounds, {
      us: () => workbench.measure(targetOf(server), { ...plan, expect: succeeded }),
      http: () => workbench.measure(raw, { ...plan, expect: { status: 201 } }),
    })
    for (const share of ['p50', 'p99'] as const) {
      figures.push({
        section: 'wait',
        name: `create to answer, digits, ${connections} connections, ${share}`,
        unit: 'ms',
        rounds: us.map(round => round.latency[share]),
        ...(connections === 1 && share === 'p50' && { aim: { most: 1.2 } }),
        limits: [{ name: `node:http raw, ${share}`, rounds: http.map(round => round.latency[share]) }],
        details: {
          server_cpu_us: median(us.map(round => round.cpu)),
          runner_cpu_us: median(us.map(round => round.childCpu)),
        },
      })
    }
  }
  return figures
}
