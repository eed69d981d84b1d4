/** Resident memory: after the start, with tasks stored, with a model loaded. */
import { setTimeout as sleep } from 'node:timers/promises'
import { digitsTasks, succeeded } from '../digits-task.ts'
import type { Figure } from '../figure.ts'
import { rawHttp } from '../limit/limits.ts'
import { descendants, residentMemory } from '../process-table.ts'
import { acceptOnly, targetOf, type Workbench } from '../workbench.ts'

const tasks = 10_000
/** An idle process has given back by then what its start has left. */
const idleAfterMs = 6_000

export async function memory(workbench: Workbench): Promise<Figure[]> {
  await using raw = await rawHttp({ answerBytes: 1000 })
  const limits = [{ name: 'a bare Node process with node:http', rounds: [megabytes(raw.pid)] }]
  const figures: Figure[] = []
  const note = (name: string, value: number, most?: number) =>
    figures.push({
      section: 'memory',
      name,
      unit: 'MB',
      rounds: [value],
      limits,
      ...(most !== undefined && { aim: { most } }),
      details: {},
    })

  {
    await using server = await workbench.server({ env: acceptOnly })
    await sleep(idleAfterMs)
    note('idle after start, no model loaded', megabytes(server.pid), 170)
    const requests = await digitsTasks(server)
    const plan = { connections: 64, requests, expect: { status: 201 }, until: { requests: tasks } }
    await workbench.measure(targetOf(server), plan)
    note(`with ${tasks} tasks queued`, megabytes(server.pid))
  }
  {
    await using server = await workbench.server()
    const requests = await digitsTasks(server, 30)
    await workbench.measure(targetOf(server), {
      connections: 64,
      requests,
      expect: succeeded,
      until: { requests: tasks },
    })
    note(`after ${tasks} finished digits tasks`, megabytes(server.pid))
    for (const child of descendants(server.pid)) note('the process of the digits model', megabytes(child))
  }
  return figures
}

const megabytes = (pid: number) => residentMemory(pid) / 1e6
