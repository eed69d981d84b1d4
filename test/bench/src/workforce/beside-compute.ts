/** What ten tasks of the workforce at once cost callers of compute: in turn without them and with them. */
import type { KindSpec } from '@millhand/employees/catalogue'
import type { Server } from '@millhand/test-e2e/server'
import { clear, ended } from '@millhand/test-e2e/tasks'
import { alternate } from '../alternate.ts'
import { digitsTasks, succeeded } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { targetOf, type Workbench } from '../workbench.ts'
import { kindsOfRules, requestOf, serverWithoutQuota } from './briefs/server.ts'

const AT_ONCE = 10
/** More of them would say how fast the machine is, fewer how fast one answer is. */
const CONNECTIONS = [1, 64]
const MOST_SLOWER = 1.2

export async function figures(workbench: Workbench): Promise<Figure[]> {
  await using server = await serverWithoutQuota(workbench)
  const requests = await digitsTasks(server, 30)
  await startEach(server)
  const all: Figure[] = []
  for (const connections of CONNECTIONS) {
    const load = () =>
      workbench.measure(targetOf(server), {
        connections,
        requests,
        expect: succeeded,
        until: { seconds: workbench.seconds },
      })
    const { alone, beside } = await alternate(workbench.rounds, {
      alone: load,
      beside: () => whileBusy(server, load),
    })
    const figure = (what: string, unit: string, of: (measured: (typeof alone)[number]) => number): Figure => ({
      section: 'workforce',
      name: `compute beside ${AT_ONCE} tasks of the workforce: digits, ${connections} connections, ${what}`,
      unit,
      rounds: beside.map(({ measured }) => of(measured)),
      limits: [
        {
          name: 'compute alone',
          rounds: alone.map(of),
          ...(unit === 'ms' ? { mostRatio: MOST_SLOWER } : { leastRatio: 1 / MOST_SLOWER }),
        },
      ],
      details: { workforce_tasks_done: median(beside.map(({ done }) => done)) },
    })
    all.push(
      figure('answers', '/s', ({ perSecond }) => perSecond),
      figure('p50', 'ms', ({ latency }) => latency.p50),
    )
  }
  return all
}

/** The first of a kind starts its process, and takes a second or two of the processor: that is another figure, in `by-rest`. */
async function startEach(server: Server): Promise<void> {
  for (const kind of kindsOfRules()) await ended(server, await begin(server, kind))
}

async function begin(server: Server, kind: KindSpec): Promise<string> {
  const { path, body = '' } = requestOf(kind, kind.example)
  const made = await server.request('POST', path, { raw: body, headers: { 'content-type': 'application/json' } })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.id
}

/** Asks as whoever wants the end alone does: the tasks are measured here, and not what it costs to ask each second. */
async function endOf(server: Server, id: string): Promise<string> {
  for (;;) {
    const { text, body } = await server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=60' } })
    if (typeof body.status !== 'string') throw new Error(text)
    if (body.status !== 'queued' && body.status !== 'running' && body.status !== 'cancelling') return body.status
  }
}

/** Measures while so many tasks are there at any time, of each kind in turn; those that are left are cancelled. */
async function whileBusy<Measured>(server: Server, measure: () => Promise<Measured>) {
  const kinds = kindsOfRules()
  const alive = new Set<string>()
  let [begun, succeeded, isOver] = [0, 0, false]
  const one = async () => {
    while (!isOver) {
      const id = await begin(server, kinds[begun++ % kinds.length] as KindSpec)
      alive.add(id)
      const status = await endOf(server, id)
      alive.delete(id)
      if (status === 'succeeded') succeeded++
    }
  }
  const callers = Array.from({ length: AT_ONCE }, one)
  const all = Promise.allSettled(callers)
  try {
    return { measured: await measure(), done: succeeded }
  } finally {
    isOver = true
    await clear(server, ...alive)
    // What one of them failed of is told when none is left.
    await all
    await Promise.all(callers)
  }
}
