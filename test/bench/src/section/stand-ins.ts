/**
 * What the broker and the stand-in for the database reach by themselves, with a task's documents and events and 64 writes
 * at once, beside what they cost in processor time: the rest of what a task costs several processes is ours.
 */
import { openKafka } from '@millhand/eventlog/kafka'
import type { Change, CollectionSpec, Document, Draft, OutboxEvent } from '@millhand/store'
import { openMongo } from '@millhand/store/mongo'
import { createLog } from '@millhand/telemetry'
import { startKafka, startMongo } from '@millhand/test-servers'
import { type Figure, median } from '../figure.ts'
import { histogram } from '../histogram.ts'
import { processorTime } from '../process-table.ts'
import type { Workbench } from '../workbench.ts'

const TOPIC = 'bench.tasks'
const AT_ONCE = 64
/** About what a task and its event are. */
const DOCUMENT_BYTES = 1_500
const EVENT_BYTES = 1_300

/** With as many indexes as tasks have on their way, of which the stand-in has each in memory. */
const spec = {
  name: 'bench_tasks',
  indexes: { ready: { fields: ['pool', 'rank', 'id'] }, due: { fields: ['pool', 'due_at', 'id'] } },
} as const satisfies CollectionSpec

interface Row extends Document {
  readonly pool: string
  readonly rank: number
  readonly due_at: number
  readonly text: string
}

interface Rate {
  readonly perSecond: number
  /** Processor time of the server for each, in microseconds. */
  readonly cpu: number
  readonly p50Ms: number
}

export async function standIns(workbench: Workbench): Promise<Figure[]> {
  return [...(await brokerFigures(workbench)), ...(await storeFigures(workbench))]
}

async function brokerFigures({ seconds, rounds }: Workbench): Promise<Figure[]> {
  await using kafka = await startKafka()
  const log = createLog({ level: 'error' })
  const events = openKafka({ brokers: [kafka.address], clientId: 'bench', log })
  const one: Rate[] = []
  const many: Rate[] = []
  try {
    const topic = { name: TOPIC, partitions: 6, replication: 1, retentionMs: 3_600_000 }
    await events.ensureTopics([topic], AbortSignal.timeout(120_000))
    let next = 0
    const publish = (count: number) => events.publish(Array.from({ length: count }, () => eventOf(`task_${next++}`)))
    await rate(kafka.pid, seconds / 2, 1, () => publish(AT_ONCE), AT_ONCE)
    for (let round = 0; round < rounds; round++) {
      one.push(await rate(kafka.pid, seconds, 1, () => publish(1)))
      many.push(await rate(kafka.pid, seconds, 1, () => publish(AT_ONCE), AT_ONCE))
    }
  } finally {
    await events.close()
  }
  return [
    { ...figure('broker: one event, round trip, p50', 'ms', one), rounds: one.map(({ p50Ms }) => p50Ms) },
    figure(`broker: events, ${AT_ONCE} a send`, '/s', many),
  ]
}

async function storeFigures({ seconds, rounds }: Workbench): Promise<Figure[]> {
  const inserted: Rate[] = []
  const updated: Rate[] = []
  for (let round = 0; round < rounds; round++) {
    // What is stored makes it slower: each round has a server of its own.
    await using mongo = await startMongo()
    const db = openMongo({ url: mongo.url(), log: createLog({ level: 'error' }) })
    try {
      const tasks = db.collection<Row, keyof typeof spec.indexes>(spec)
      await db.prepare(AbortSignal.timeout(120_000))
      const write = async (change: Change<Row>) => {
        const { kind } = await tasks.write(change)
        if (kind !== 'written') throw new Error(`a write of the benchmark is a ${kind}`)
      }
      let count = 0
      const insert = () => {
        const document = rowOf(count++)
        return write({ kind: 'insert', document, events: [eventOf(document.id)] })
      }
      await rate(mongo.pid, seconds / 2, AT_ONCE, insert)
      inserted.push(await rate(mongo.pid, seconds, AT_ONCE, insert))
      let next = 0
      updated.push(
        await rate(mongo.pid, seconds, AT_ONCE, () => {
          const document = rowOf(next % count)
          const version = 1 + Math.floor(next++ / count)
          return write({ kind: 'replace', version, document, events: [eventOf(document.id)] })
        }),
      )
    } finally {
      await db.close()
    }
  }
  return [
    figure(`database's stand-in: inserts, ${AT_ONCE} at once`, '/s', inserted),
    figure(`database's stand-in: updates, ${AT_ONCE} at once`, '/s', updated),
  ]
}

/** Does it again and again, so many at a time; each counts as `weight`. */
async function rate(
  pid: number,
  seconds: number,
  atOnce: number,
  work: () => Promise<unknown>,
  weight = 1,
): Promise<Rate> {
  const latencies = histogram()
  const before = processorTime(pid)
  const began = performance.now()
  const repeat = async () => {
    while (performance.now() - began < seconds * 1_000) {
      const asked = performance.now()
      await work()
      latencies.record((performance.now() - asked) * 1_000)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, repeat))
  const done = latencies.count * weight
  return {
    perSecond: (done * 1_000) / (performance.now() - began),
    cpu: (processorTime(pid) - before) / done,
    p50Ms: latencies.quantile(0.5) / 1_000,
  }
}

const figure = (name: string, unit: string, rates: readonly Rate[]): Figure => ({
  section: 'stand-ins',
  name,
  unit,
  rounds: rates.map(({ perSecond }) => perSecond),
  limits: [],
  details: { p50_ms: median(rates.map(({ p50Ms }) => p50Ms)), server_cpu_us: median(rates.map(({ cpu }) => cpu)) },
})

const rowOf = (n: number): Draft<Row> => ({
  tenant: 'acct_bench/live',
  id: `task_${n}`,
  pool: 'live/onnx',
  rank: 1,
  due_at: n,
  text: 'd'.repeat(DOCUMENT_BYTES),
})

let events = 0
const eventOf = (key: string): OutboxEvent => ({
  topic: TOPIC,
  key,
  id: `evt_${events++}`,
  type: 'task.queued',
  time: Date.now(),
  value: JSON.stringify({ id: key, text: 'e'.repeat(EVENT_BYTES) }),
})
