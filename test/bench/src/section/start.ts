/** How long a start takes, with an empty store: beside a Node process that only opens a port. */
import { alternate } from '../alternate.ts'
import { digitsTasks } from '../digits-task.ts'
import type { Figure, Limit } from '../figure.ts'
import { rawHttp } from '../limit/limits.ts'
import type { Workbench } from '../workbench.ts'

export async function start(workbench: Workbench): Promise<Figure[]> {
  const { us, bare } = await alternate(workbench.rounds, { us: () => oneStart(workbench), bare: bareStart })
  const limit: Limit = { name: 'node:http raw, start to listening', rounds: bare }
  return [
    figure(
      'process start to ready line',
      us.map(times => times.ready),
      limit,
      700,
    ),
    figure(
      'process start to first 201',
      us.map(times => times.firstCreated),
      limit,
    ),
    figure(
      'process start to first succeeded, digits',
      us.map(times => times.firstSucceeded),
      limit,
    ),
  ]
}

const figure = (name: string, rounds: number[], limit: Limit, most?: number): Figure => ({
  section: 'start',
  name,
  unit: 'ms',
  rounds,
  limits: [limit],
  ...(most !== undefined && { aim: { most } }),
  details: {},
})

/** Milliseconds since the process was started. The task is created without waiting, then waited for. */
async function oneStart(workbench: Workbench) {
  const begin = performance.now()
  await using server = await workbench.server()
  const ready = performance.now() - begin
  const [task] = await digitsTasks(server)
  const created = await server.request('POST', '/v1/tasks', {
    raw: task?.body as string,
    headers: { 'content-type': 'application/json' },
  })
  const firstCreated = performance.now() - begin
  let current = created.body
  while (current.status !== 'succeeded') {
    current = (await server.request('GET', `/v1/tasks/${current.id}`, { headers: { prefer: 'wait=30' } })).body
  }
  return { ready, firstCreated, firstSucceeded: performance.now() - begin }
}

async function bareStart(): Promise<number> {
  const begin = performance.now()
  await using _ = await rawHttp({ answerBytes: 1000 })
  return performance.now() - begin
}
