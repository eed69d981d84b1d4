/**
 * Several processes on Kafka and MongoDB's protocol, all on this machine with the load beside them: what a task costs
 * in each. The database server is a stand-in whose queries read everything, so read costs, not limits, and keep it small.
 */
import { readFileSync } from 'node:fs'
import type { Server } from '@millhand/test-e2e/server'
import { startKafka, startMongo } from '@millhand/test-servers'
import { digitsTasks, succeeded } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { descendants, processorTime } from '../process-table.ts'
import { type LoadPlan, type Measured, targetOf, type Workbench } from '../workbench.ts'

/** Of the last figure, in tasks a second. */
const PACE = 200

export async function distributed(workbench: Workbench): Promise<Figure[]> {
  const { seconds, rounds } = workbench
  await using kafka = await startKafka()
  await using mongo = await startMongo()
  const env = { TEST_KAFKA: kafka.address, TEST_MONGO_OF_SERVICES: mongo.address }

  /** One measurement on a deployment of its own: what is stored makes the stand-in slower. */
  const measure = async (plan: Omit<LoadPlan, 'requests'>, wait?: number, more: Record<string, string> = {}) => {
    await using server = await workbench.server({ shape: 'distributed', env: { ...env, ...more } })
    const requests = await digitsTasks(server, wait)
    await workbench.measure(targetOf(server), { ...plan, requests, until: { seconds: Math.min(1, seconds / 2) } })
    const parts = { ...partsOf(server), kafka: [kafka.pid], mongo: [mongo.pid] }
    const before = times(parts)
    const measured = await workbench.measure(targetOf(server), { ...plan, requests })
    const after = times(parts)
    const cost = (part: string) => ((after[part] ?? 0) - (before[part] ?? 0)) / measured.good
    return { ...measured, cost: Object.fromEntries(Object.keys(parts).map(part => [part, cost(part)])) }
  }
  const rounded = async (plan: Omit<LoadPlan, 'requests'>, wait?: number, more?: Record<string, string>) => {
    const results: Awaited<ReturnType<typeof measure>>[] = []
    for (let round = 0; round < rounds; round++) results.push(await measure(plan, wait, more))
    return results
  }

  const created = await rounded({ connections: 64, expect: { status: 201 }, until: { seconds } }, undefined, {
    MILLHAND_EXECUTOR_SLOTS: '0',
  })
  const finished = await rounded({ connections: 128, expect: succeeded, until: { seconds } }, 30)
  const paced = await rounded({ connections: 64, expect: succeeded, until: { seconds }, pace: PACE }, 30)
  return [
    figure('creates, 64 connections', '/s', created, round => round.perSecond, { least: 2 * 1_834 }),
    figure('create to succeeded, digits, 128 connections', '/s', finished, round => round.perSecond, {
      least: 2 * 803,
    }),
    figure(`create to succeeded at ${PACE}/s, p50`, 'ms', paced, round => round.latency.p50),
    figure(`create to succeeded at ${PACE}/s, p99`, 'ms', paced, round => round.latency.p99),
  ]
}

type Round = Measured & { readonly cost: Readonly<Record<string, number>> }

function figure(
  name: string,
  unit: string,
  measured: readonly Round[],
  value: (round: Round) => number,
  aim?: Figure['aim'],
): Figure {
  const parts = Object.keys(measured[0]?.cost ?? {})
  return {
    section: 'distributed',
    name,
    unit,
    rounds: measured.map(value),
    ...(aim && { aim }),
    limits: [],
    details: Object.fromEntries([
      ['p99_ms', median(measured.map(round => round.latency.p99))],
      ...parts.map(part => [`${part}_us`, median(measured.map(round => round.cost[part] ?? 0))] as const),
    ]),
  }
}

/** The processes of a deployment by the word after `serve`; a model's process belongs to its executor. */
function partsOf(server: Server): Record<string, number[]> {
  const parts: Record<string, number[]> = {}
  for (const pid of descendants(server.pid)) {
    const [, name] = /serve\.ts\0(\w+)\0/.exec(readFileSync(`/proc/${pid}/cmdline`, 'latin1')) ?? []
    if (name !== undefined) parts[name] = [pid, ...descendants(pid)]
  }
  return parts
}

const times = (parts: Record<string, readonly number[]>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parts).map(([part, pids]) => [part, pids.reduce((sum, pid) => sum + processorTime(pid), 0)]),
  )
