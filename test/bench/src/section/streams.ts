/** Task streams: what idle ones cost, how soon a piece is with its reader, and what a fast one costs its neighbours. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type EventStream, openEvents } from '@millhand/test-e2e/event-stream'
import { repository, type Server } from '@millhand/test-e2e/server'
import { alternate } from '../alternate.ts'
import { digitsTasks, succeeded } from '../digits-task.ts'
import type { Figure } from '../figure.ts'
import { diskTail } from '../limit/disk.ts'
import { residentMemory } from '../process-table.ts'
import { emitAndRead } from '../stream-latency.ts'
import { acceptOnly, targetOf, type Workbench } from '../workbench.ts'

const IDLE = 2_000
const IDLE_TASKS = 20
/** For what was allocated while they were opened to be given back, and for a heartbeat. */
const SETTLE_MS = 20_000

/** A second, as of a stream of so many pieces; with more of them, several are stored at once. */
const DISK_WRITES = 100

/** "Must hold". */
const IDLE_MB = 150
const LATENCY_MS = 25
const LEAST_BESIDE = 0.9

const models = { MILLHAND_MODELS_DIR: join(repository, 'test/fixtures/models') }

export async function streams(workbench: Workbench): Promise<Figure[]> {
  return [await idle(workbench), ...(await latency(workbench)), await beside(workbench)]
}

const figure = (
  name: string,
  unit: string,
  rounds: readonly number[],
  more: Partial<Figure> & { readonly most?: number } = {},
): Figure => {
  const { most, ...rest } = more
  return {
    section: 'streams',
    name,
    unit,
    rounds,
    ...(most !== undefined && { aim: { most } }),
    limits: [],
    details: {},
    ...rest,
  }
}

async function idle(workbench: Workbench): Promise<Figure> {
  await using server = await workbench.server({ env: acceptOnly })
  const [task] = await digitsTasks(server)
  const ids: string[] = []
  for (let count = 0; count < IDLE_TASKS; count++) {
    const { body } = await server.request('POST', '/v1/tasks', { json: JSON.parse(task?.body as string) })
    ids.push(body.id)
  }
  await pause(SETTLE_MS / 4)
  const before = residentMemory(server.pid)
  const open: EventStream[] = []
  for (let count = 0; count < IDLE; count++) {
    const path = `/v1/tasks/${ids[count % ids.length]}/events`
    const stream = await openEvents(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.key}` } })
    if (stream.status !== 200) throw new Error(`stream ${count} was answered ${stream.status}`)
    open.push(stream)
  }
  await pause(SETTLE_MS)
  const more = residentMemory(server.pid) - before
  for (const stream of open) stream[Symbol.dispose]()
  return figure(`resident memory of ${IDLE.toLocaleString('en')} idle streams`, 'MB', [more / 1e6], { most: IDLE_MB })
}

async function latency(workbench: Workbench): Promise<Figure[]> {
  const { rounds, seconds } = workbench
  await using server = await workbench.server({ shape: 'noop', env: models })
  const figures: Figure[] = []
  for (const perSecond of [100, 1_000]) {
    const measured = await alternate(rounds, {
      stream: () => emitFor(server, perSecond, seconds),
      disk: () => diskTail(server.dataDir, DISK_WRITES, seconds),
    })
    for (const part of ['p50', 'p99'] as const)
      figures.push(
        figure(
          `from the runner's piece to the reader, ${perSecond.toLocaleString('en')} pieces/s, ${part}`,
          'ms',
          measured.stream.map(round => round[part]),
          {
            ...(perSecond === 100 && part === 'p99' && { most: LATENCY_MS }),
            limits: [
              { name: `a write of 4 KiB and fdatasync, ${part}`, rounds: measured.disk.map(round => round[part]) },
            ],
          },
        ),
      )
  }
  return figures
}

function emitFor({ url, key }: Server, perSecond: number, seconds: number, signal?: AbortSignal) {
  const task = { url, key, chunks: perSecond * seconds, intervalMs: 1_000 / perSecond }
  return emitAndRead(signal ? { ...task, signal } : task)
}

/** Tasks from create to succeeded, without and with one that emits 1,000 pieces a second to a reader. */
async function beside(workbench: Workbench): Promise<Figure> {
  await using server = await workbench.server({ shape: 'noop', env: models })
  const requests = await digitsTasks(server, 30)
  const plan = { connections: 64, requests, expect: succeeded, until: { seconds: workbench.seconds } }
  const others = async () => (await workbench.measure(targetOf(server), plan)).perSecond
  await others()
  const alone: number[] = []
  const together: number[] = []
  let received = 0
  for (let round = 0; round < workbench.rounds; round++) {
    alone.push(await others())
    const over = new AbortController()
    const emitted = emitFor(server, 1_000, workbench.seconds + 2, over.signal)
    await pause(500)
    together.push(await others())
    over.abort()
    received += (await emitted).received
    await pause(2_500) // Its run ends.
  }
  return figure('create to succeeded, no-op runner, beside a task that emits 1,000 pieces/s', '/s', together, {
    limits: [{ name: 'the same without it', rounds: alone, leastRatio: LEAST_BESIDE }],
    details: { pieces_read: received / workbench.rounds },
  })
}
