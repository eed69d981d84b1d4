/** One run: the whole system, load, the faults of a seed, and then the books are read. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { send } from '@millhand/test-e2e/http'
import { type BatchEnd, batchFaults } from './batch-checks.ts'
import { createBatchVisitors } from './batch-visitors.ts'
import { billFaults, chargesOfHistory, chargesOfTasks, settledBill, verifyFaults } from './bills.ts'
import { createClients } from './clients.ts'
import { withoutRepeats } from './deduplication.ts'
import { allSettled, readStore, readTopic } from './evidence.ts'
import { type Figures, figuresOf } from './figures.ts'
import { type Logged, violations } from './history-checks.ts'
import { listAll } from './outcome.ts'
import { random } from './random.ts'
import { createPace } from './rate-pacing.ts'
import { notServing } from './readiness.ts'
import { untilATaskSucceeds } from './recovery.ts'
import { schedule } from './schedule.ts'
import { storm } from './storm.ts'
import { executors, type System, startSystem, stormMembers } from './system.ts'
import { anyRequest } from './task-requests.ts'
import { usageFaults } from './usage.ts'

export interface RunOptions {
  readonly seed: number
  readonly tasks: number
  /** The checkout that is run. */
  readonly root: string
  /** Where logs and data go, and `violations.txt` where there are any. */
  readonly folder: string
  /** Hears a line now and then. */
  readonly say: (line: string) => void
}

export interface Outcome {
  readonly seed: number
  readonly figures: Figures
  /** Every breach of a promise, in words. */
  readonly violations: readonly string[]
}

const CLIENTS = 32
const TASKS_A_SECOND = 120
const BATCH_VISITORS = 4
/** Nobody waits longer for the system to serve again, or for its tasks to end. */
const RECOVERY_LIMIT_MS = 300_000
const SETTLE_LIMIT_MS = 300_000
const USAGE_LIMIT_MS = 300_000
const SERVING_LIMIT_MS = 300_000
/** On a slow machine the load ends before all its tasks, once the faults are over. */
const LOAD_LIMIT_MS = 180_000

export async function run({ seed, tasks, root, folder, say }: RunOptions): Promise<Outcome> {
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1)
  const tell = (line: string) => say(`[seed ${seed}, ${seconds()} s] ${line}`)

  await using system = await startSystem({ root, folder, members: stormMembers })
  const found: string[] = []
  const requests = random(seed + 1)
  const pace = createPace(TASKS_A_SECOND)
  const clients = createClients({
    urls: system.urls,
    key: system.key,
    clients: CLIENTS,
    next: async () => ((await pace.turn()) ? anyRequest(requests) : undefined),
  })
  const probes = random(seed + 2)
  const recovered = () => untilATaskSucceeds(clients, probes, RECOVERY_LIMIT_MS)
  tell(`serves; a first task has succeeded after ${Math.round(await recovered())} ms more`)

  const loaded = performance.now()
  const working = clients.run()
  const over = new AbortController()
  const visitors = createBatchVisitors({
    ...{ urls: system.urls, key: system.key, visitors: BATCH_VISITORS },
    ...{ random: random(seed + 3), over: over.signal },
  })
  const visiting = visitors.run()
  const moments = await storm({
    system,
    steps: schedule(random(seed)),
    onStep: share => pace.admit(Math.round(tasks * share)),
    recovered,
    onFailure: words => found.push(words),
    tell: line => tell(`${line}; ${clients.seen.acknowledged.length} tasks so far`),
  })
  found.push(...(await notServing(system.members.values(), SERVING_LIMIT_MS)))
  pace.admit(tasks)
  pace.close()
  const late = setTimeout(pace.stop, Math.max(0, loaded + LOAD_LIMIT_MS - performance.now()))
  const seen = await working.finally(() => clearTimeout(late))
  over.abort()
  const batches = await visiting
  const sent = performance.now()
  tell(`everything is whole and sent: ${seen.acknowledged.length} tasks answered, ${seen.unanswered} calls unanswered`)
  const failed = (error: Error): BatchEnd[] => {
    found.push(error.message)
    return []
  }
  const ends = await visitors.ends(batches, SETTLE_LIMIT_MS).catch(failed)
  await allSettled(system.database, SETTLE_LIMIT_MS).catch((error: Error) => found.push(error.message))
  const settled = performance.now()

  const [{ finals, leftovers }, messages, listed] = await Promise.all([
    readStore(system.database),
    readTopic(system.brokers),
    listAll(askedOf(system)),
  ])
  const topic = withoutRepeats(messages)
  found.push(
    ...seen.unexpected,
    ...leftovers,
    ...topic.faults,
    ...violations({ ...seen, events: topic.events, finals }),
    ...differences(finals, listed),
    ...visitors.unexpected,
    ...batchFaults(batches, ends, await visitors.list()),
    ...(await usageFaults(askedOf(system).request, finals, USAGE_LIMIT_MS)),
    ...(await bookFaults(system, topic.events)),
  )
  const figures = figuresOf({
    seen,
    finals,
    topic,
    messages,
    moments,
    refused: refusedResults(system),
    loadMs: sent - loaded,
    settleMs: settled - sent,
    allMs: performance.now() - began,
  })
  if (found.length > 0) writeFileSync(join(folder, 'violations.txt'), `${found.join('\n')}\n`)
  const cancelled = batches.filter(batch => batch.cancelled !== undefined).length
  tell(`${batches.length} batches, ${cancelled} of them cancelled`)
  tell(`${found.length} broken promises; ${JSON.stringify(figures)}`)
  return { seed, figures, violations: found }
}

/** What is billed is what the history says, and what the tasks say. */
async function bookFaults(system: System, events: readonly Logged[]): Promise<string[]> {
  const { request } = askedOf(system)
  const charges = chargesOfHistory(events)
  const bill = await settledBill(request, charges, USAGE_LIMIT_MS)
  return [
    ...billFaults(bill, charges),
    ...billFaults(bill, await chargesOfTasks(request)),
    ...(await verifyFaults(system.operator)),
  ]
}

/** What the executors' logs say of results that came too late. */
function refusedResults({ members }: System): number {
  const logs = executors.map(name => readFileSync(members.get(name)?.logFile ?? '', 'utf8'))
  return logs.join('').split('"event":"result.refused"').length - 1
}

function askedOf({ key, urls }: System) {
  const headers = { authorization: `Bearer ${key}` }
  return { request: (method: string, path: string) => send(method, urls()[0] + path, { headers }) }
}

/** REST shows what the store holds. */
function differences<T extends { readonly id: string }>(stored: readonly T[], listed: readonly T[]): string[] {
  const known = new Map(stored.map(task => [task.id, JSON.stringify(task)]))
  const found = listed.flatMap(task =>
    known.get(task.id) === JSON.stringify(task)
      ? []
      : [`${task.id}: is listed as ${JSON.stringify(task)} and stored as ${known.get(task.id)}`],
  )
  return stored.length === listed.length ? found : [...found, `${listed.length} of ${stored.length} tasks are listed`]
}
