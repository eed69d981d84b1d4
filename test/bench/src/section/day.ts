/**
 * A day of calls in minutes: a mix of what callers do, by a few accounts, and how well both service targets are met, as the
 * callers see it and as `/status` has counted it.
 *
 * The rate is steady, a part of what two cores can carry. A closed loop would measure saturation, where every answer is as slow
 * as the machine is full, and callers of a service do not wait for each other. A call that is late is counted from when it was due.
 */
import { keyOf, newAccount } from '@millhand/test-e2e/operator'
import type { Server } from '@millhand/test-e2e/server'
import { startKafka, startMongo } from '@millhand/test-servers'
import { startChild } from '../child.ts'
import { type Budget, budgetsOf, differences } from '../day/by-status.ts'
import type { DayCounts, DayPlan } from '../day/calls.ts'
import type { Figure } from '../figure.ts'
import { plansWith } from '../plans-file.ts'
import { type ProcessorTime, processorTimes } from '../process-table.ts'
import type { Workbench } from '../workbench.ts'

export interface DayOptions {
  readonly calls: number
  /** Calls a second, where it is another than the shape's own. */
  readonly pace?: number | undefined
}

/**
 * A million in 17 minutes: 86 times the 12 calls a second of the service target. Millhand takes 1.3 of two cores for it, and
 * those who call are on the same two: at 2,200 a second both are full, and every answer is late.
 */
const PACE = 1_000
/** Several processes share two cores with Kafka and a database server that only stands in for MongoDB. */
const DISTRIBUTED_PACE = 400
/** The stand-in holds 4 KiB of each call in memory: 4 GB of a million, and as much again of garbage. */
const MONGO_GIB = 8
const ACCOUNTS = 4
const SEED = 1
const TASKS_A_DAY = 1_000_000

/** In one process, on SQLite. */
export async function day(workbench: Workbench, options: DayOptions): Promise<Figure[]> {
  const env = plansWith('tasks_per_day', TASKS_A_DAY, workbench.folder())
  await using server = await workbench.server({ env })
  return await measure(server, { pace: PACE, ...defined(options) }, {})
}

/** In a process for each service, on MongoDB's protocol and Kafka. */
export async function distributedDay(workbench: Workbench, options: DayOptions): Promise<Figure[]> {
  await using kafka = await startKafka()
  await using mongo = await startMongo({ dataDir: workbench.folder(), heapGiB: MONGO_GIB })
  const plans = plansWith('tasks_per_day', TASKS_A_DAY, workbench.folder())
  const env = { ...plans, TEST_KAFKA: kafka.address, TEST_MONGO_OF_SERVICES: mongo.address }
  await using server = await workbench.server({ shape: 'distributed', env })
  return await measure(server, { pace: DISTRIBUTED_PACE, ...defined(options) }, { kafka: kafka.pid, mongo: mongo.pid })
}

const defined = ({ calls, pace }: DayOptions) => ({ calls, ...(pace !== undefined && { pace }) })

/** `others`: processes that are not ours, whose processor time is told beside. */
async function measure(
  server: Server,
  { calls, pace }: Required<DayOptions> & { readonly pace: number },
  others: Readonly<Record<string, number>>,
): Promise<Figure[]> {
  const keys: string[] = []
  for (let at = 0; at < ACCOUNTS; at++) keys.push(await keyOf(server, await newAccount(server, `day ${at}`)))
  const { hostname: host, port } = new URL(server.url)
  await using callers = startChild<DayPlan, DayCounts>(new URL('../day/day-child.ts', import.meta.url))

  const pids = { ours: server.pid, ...others }
  const before = times(pids)
  const counted = await callers.ask({ host, port: Number(port), keys, calls, perSecond: pace, seed: SEED })
  const status = await budgetsOf(server, calls)
  const used = since(before, times(pids))

  if (counted.firstOdd !== undefined) process.stderr.write(`the first that was not as expected: ${counted.firstOdd}\n`)
  const found = differences(counted, status)
  if (found.length > 0) throw new Error(`/status and the callers disagree.\n${found.join('\n')}`)
  return [
    spent('without a 5xx, as callers see it', { ...status.answered, requests: counted.calls, missed: counted.failed }),
    spent('without a 5xx, by /status', status.answered),
    spent('within 100 ms, as callers see it', { ...status.fast, requests: counted.timed, missed: counted.slow }),
    spent('within 100 ms, by /status', status.fast),
    {
      ...{ section: 'day', name: 'answers that are neither 5xx nor as expected', unit: 'answers' },
      ...{ rounds: [counted.unexpected], aim: { most: 0 }, limits: [], details: {} },
    },
    processorFigure(used, { calls, pace, seconds: counted.seconds }),
    ...counted.operations.filter(each => each.calls > 0).map(({ name, p99, ...rest }) => operation(name, p99, rest)),
  ]
}

/** Of the error budget, in per cent. */
const spent = (name: string, { target, requests, missed }: Omit<Budget, 'since'>): Figure => ({
  section: 'day',
  name: `error budget: ${(target * 100).toLocaleString('en')} % ${name}`,
  unit: '% spent',
  rounds: [(missed / (requests * (1 - target))) * 100],
  aim: { most: 100 },
  limits: [],
  details: { requests, missed },
})

const operation = (name: string, p99: number, { calls, p50 }: { readonly calls: number; readonly p50: number }) => ({
  ...{ section: 'day', name: `${name}, p99`, unit: 'ms', rounds: [p99] },
  ...{ limits: [], details: { p50_ms: p50, calls } },
})

type Times = Readonly<Record<string, ProcessorTime>>

const times = (pids: Readonly<Record<string, number>>): Times =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, processorTimes(pid)]))

const since = (before: Times, after: Times): Times =>
  Object.fromEntries(
    Object.entries(after).map(([name, { user, system }]) => [
      name,
      { user: user - (before[name]?.user ?? 0), system: system - (before[name]?.system ?? 0) },
    ]),
  )

interface Sent {
  readonly calls: number
  readonly pace: number
  readonly seconds: number
}

/** From the first call until all are counted. The callers are not in it. */
function processorFigure({ ours, ...others }: Times, { calls, pace, seconds }: Sent): Figure {
  const { user = 0, system = 0 } = ours ?? {}
  return {
    section: 'day',
    name: `processor time of Millhand, ${calls.toLocaleString('en')} calls at ${pace.toLocaleString('en')}/s`,
    unit: 's',
    rounds: [user + system],
    limits: [],
    details: {
      user_s: user,
      system_s: system,
      us_a_call: ((user + system) / calls) * 1e6,
      calls_took_s: seconds,
      ...Object.fromEntries(Object.entries(others).map(([name, time]) => [`${name}_s`, time.user + time.system])),
    },
  }
}
