/** Tasks from create to succeeded, each answered when it has ended: with a runner that does nothing, and with `digits`. */
import { join } from 'node:path'
import { repository, type Server } from '@millhand/test-e2e/server'
import { alternate } from '../alternate.ts'
import { digitsTasks, succeeded } from '../digits-task.ts'
import { type Figure, type Limit, median } from '../figure.ts'
import { onnxRuns } from '../limit/limits.ts'
import { type Measured, targetOf, type Workbench } from '../workbench.ts'

const connectionCounts = [64, 128, 256]
const batches = [1, 8, 32, 128]

export async function lifecycle(workbench: Workbench): Promise<Figure[]> {
  const { seconds, rounds } = workbench
  await using noop = await workbench.server({ shape: 'noop' })
  await using digits = await workbench.server()
  await using onnx = onnxRuns()
  const runs = (batch: number, time = seconds) =>
    onnx.ask({ model: join(repository, 'deploy/models/digits/model.onnx'), batch, seconds: time })

  const noopLoad = await best(workbench, noop)
  const digitsLoad = await best(workbench, digits)
  const bestBatch = await argmax(batches, batch => runs(batch, seconds / 4))

  const measured = await alternate(rounds, {
    noop: noopLoad.measure,
    digits: digitsLoad.measure,
    onnx: () => runs(bestBatch),
  })
  return [
    figure('no-op runner', noopLoad.connections, measured.noop, 6000, [bullmq]),
    figure('digits', digitsLoad.connections, measured.digits, 4000, [
      { name: `onnxruntime alone, batches of ${bestBatch}`, rounds: measured.onnx },
    ]),
  ]
}

/** On such a machine, with a no-op job. Never measured here. */
const bullmq: Limit = {
  name: 'BullMQ, Redis appendfsync always, Fastify',
  rounds: [8660],
  cited: 'measured once on a machine of two such cores, no-op jobs',
}

/** The number of connections at which the server finishes most, and a measurement with it. */
async function best(workbench: Workbench, server: Server) {
  const requests = await digitsTasks(server, 30)
  const measure = (connections: number, seconds: number) =>
    workbench.measure(targetOf(server), { connections, requests, expect: succeeded, until: { seconds } })
  await measure(64, workbench.seconds / 2)
  const connections = await argmax(
    connectionCounts,
    async count => (await measure(count, workbench.seconds / 2)).perSecond,
  )
  return { connections, measure: () => measure(connections, workbench.seconds) }
}

async function argmax(candidates: readonly number[], value: (candidate: number) => Promise<number>): Promise<number> {
  let winner = { candidate: Number.NaN, value: Number.NEGATIVE_INFINITY }
  for (const candidate of candidates) {
    const found = await value(candidate)
    if (found > winner.value) winner = { candidate, value: found }
  }
  return winner.candidate
}

function figure(
  what: string,
  connections: number,
  measured: readonly Measured[],
  least: number,
  limits: Limit[],
): Figure {
  return {
    section: 'lifecycle',
    name: `create to succeeded, ${what}, ${connections} connections`,
    unit: '/s',
    rounds: measured.map(round => round.perSecond),
    aim: { least },
    limits,
    details: {
      p50_ms: median(measured.map(round => round.latency.p50)),
      p99_ms: median(measured.map(round => round.latency.p99)),
      server_cpu_us: median(measured.map(round => round.cpu)),
      runner_cpu_us: median(measured.map(round => round.childCpu)),
    },
  }
}
