/** What the tests of streams share: replicas over stores whose writes can be meddled with, a run that emits, readers. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'node:test'
import type { CallOptions } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { TaskEvent } from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import { Emitted_Verdict } from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import type { Change, Collection, Document } from '@millhand/store'
import type { Errand } from '../errand.fixture.ts'
import { caller, claim, createReplicas, type Replica, type Stores } from '../replicas.fixture.ts'
import type { EmissionsRecord } from './emissions.ts'

export interface Opened extends Stores {
  close(): Promise<void>
}

/** What is done before a write is made, or after a write or a `get` and before it is answered. */
interface Meddling<T extends Document> {
  before?: ((change: Change<T>) => Promise<unknown>) | undefined
  after?: ((change: Change<T> | { readonly kind: 'get' }) => Promise<unknown>) | undefined
}

export interface Streams {
  readonly stores: Opened
  readonly clock: ManualClock
  readonly a: Replica
  readonly b: Replica
  /** Of the tasks' writes, and of those of what runs emit. */
  readonly onTasks: Meddling<Errand>
  readonly onEmissions: Meddling<EmissionsRecord>
  /** How many batches were asked for each time, oldest first. */
  readonly pages: number[]
  /** Takes the queues from one replica to the other. */
  handOver(from: Replica, to: Replica): Promise<void>
  /** What lies in the store of what the tenant's runs have emitted. */
  emissions(): Promise<EmissionsRecord[]>
}

/** Two replicas for each test, of which `a` owns the queues. */
export function givenStreams(open: (folder: string) => Promise<Opened>): Streams {
  let folder: string
  let now: Omit<Streams, 'handOver' | 'emissions'>
  let replicas: ReturnType<typeof createReplicas>
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-streams-'))
    const stores = await open(folder)
    const clock = manualClock(Date.UTC(2026, 10, 21))
    const onTasks: Meddling<Errand> = {}
    const onEmissions: Meddling<EmissionsRecord> = {}
    const pages: number[] = []
    const emissions = meddled(stores.emissions, onEmissions)
    const find: typeof emissions.find = (index, query) => {
      pages.push(query.limit)
      return stores.emissions.find(index, query)
    }
    const { blobs } = stores
    replicas = createReplicas({ tasks: meddled(stores.tasks, onTasks), emissions: { ...emissions, find }, blobs })
    now = { stores, clock, onTasks, onEmissions, pages, a: replicas.start('a', clock), b: replicas.start('b', clock) }
    now.a.own()
  })
  afterEach(async () => {
    await replicas.end()
    await now.stores.close()
    await rm(folder, { recursive: true })
  })
  return {
    get stores() {
      return now.stores
    },
    get clock() {
      return now.clock
    },
    get a() {
      return now.a
    },
    get b() {
      return now.b
    },
    get onTasks() {
      return now.onTasks
    },
    get onEmissions() {
      return now.onEmissions
    },
    get pages() {
      return now.pages
    },
    async handOver(from, to) {
      await from.disown()
      to.own()
    },
    emissions: () => now.stores.emissions.find('primary', { equals: ['acct_a/live'], limit: 10_000 }),
  }
}

function meddled<T extends Document, I extends string>(
  collection: Collection<T, I>,
  by: Meddling<T>,
): Collection<T, I> {
  return {
    async get(tenant, id) {
      const found = await collection.get(tenant, id)
      await by.after?.({ kind: 'get' })
      return found
    },
    find: (index, query) => collection.find(index, query),
    count: (index, range, limit) => collection.count(index, range, limit),
    async write(change) {
      await by.before?.(change)
      const result = await collection.write(change)
      await by.after?.(change)
      return result
    },
  }
}

/** Once, where the change is of the kind. */
export function once<T extends Document>(
  by: Meddling<T>,
  when: 'before' | 'after',
  kind: 'get' | Change<T>['kind'],
  work: () => Promise<unknown>,
): void {
  by[when] = async change => {
    if (change.kind !== kind) return
    by[when] = undefined
    await work()
  }
}

/** A run as its executor sees it. */
export interface Run extends Lease {
  from: number
}

export async function lend(at: Replica): Promise<Run> {
  const [lease] = await claim(at)
  assert.ok(lease)
  return { ...lease, from: 0 }
}

const executorId = 'exec_a'

const verdicts = {
  [Emitted_Verdict.UNSPECIFIED]: 'nothing',
  [Emitted_Verdict.STORED]: 'stored',
  [Emitted_Verdict.REFUSED]: 'refused',
  [Emitted_Verdict.FULL]: 'full',
} as const satisfies Record<Emitted_Verdict, string>

/** Sends pieces of output, and what came of them. */
export async function emit(at: Replica, run: Run, ...texts: readonly string[]): Promise<string> {
  const emissions = texts.map(text => ({ content: { case: 'output' as const, value: JSON.stringify(text) } }))
  const { id: leaseId, tenant, workId, attempt, from } = run
  const { runs } = await at.leases.emit({
    executorId,
    runs: [{ leaseId, tenant, workId, attempt, from, emissions }],
  })
  const [{ verdict } = { verdict: Emitted_Verdict.UNSPECIFIED }] = runs
  if (verdict === Emitted_Verdict.STORED) run.from += texts.length
  return verdicts[verdict as keyof typeof verdicts]
}

const outcomes = {
  succeeded: { case: 'output', value: '"done"' },
  crashed: { case: 'failure', value: { code: 'model_crashed', message: 'It crashed.', retryable: true } },
  evicted: { case: 'evicted', value: true },
  cancelled: { case: 'cancelled', value: true },
} as const

export async function finish(at: Replica, run: Run, how: keyof typeof outcomes): Promise<boolean> {
  const { id: leaseId, tenant, workId, attempt } = run
  const results = [{ leaseId, tenant, workId, attempt, outcome: outcomes[how], computeMs: 5 }]
  const { accepted } = await at.leases.finish({ executorId, results })
  return accepted[0] === true
}

/** An event in short: its sequence number, what it is, and of which run. */
export type Brief = readonly [sequence: string, what: string, attempt: number]

export const brief = ({ sequence, type, attempt, output }: TaskEvent): Brief => [
  `${sequence >> 20n}.${sequence & 0xfffffn}`,
  output ?? type.slice('errand.'.length),
  attempt,
]

export interface Reader {
  readonly events: TaskEvent[]
  /** Resolves once it has so many. */
  has(count: number): Promise<void>
  /** Resolves at the end of the stream, rejects where it fails. */
  readonly ended: Promise<void>
  /** The sequence number of the last. */
  readonly sequence: bigint
  leave(): void
}

/** With context values of its own, since a replica notes in them when it stops. */
export function read(at: Replica, id: string, after = 0n, accountId = 'acct_a'): Reader {
  const leaving = new AbortController()
  const options: CallOptions = { ...caller(accountId), signal: leaving.signal }
  const events: TaskEvent[] = []
  let waiting: { readonly count: number; readonly resolve: () => void } | undefined
  const take = async () => {
    for await (const event of at.tasks.watchTask({ id, after }, options)) {
      events.push(event)
      if (waiting && events.length >= waiting.count) waiting.resolve()
    }
  }
  const ended = take()
  ended.catch(() => {})
  return {
    events,
    ended,
    has: count =>
      events.length >= count
        ? Promise.resolve()
        : Promise.race([new Promise<void>(resolve => (waiting = { count, resolve })), ended]),
    get sequence() {
      return events.at(-1)?.sequence ?? after
    },
    leave: () => leaving.abort(),
  }
}

/** Everything that a stream tells from a sequence number on, to its end. */
export async function readAll(at: Replica, id: string, after = 0n): Promise<Brief[]> {
  const reader = read(at, id, after)
  await reader.ended
  return reader.events.map(brief)
}

export async function failsWith(code: string, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, error => {
    assert.equal(codeOf(error), code)
    return true
  })
}
