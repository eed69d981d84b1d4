/**
 * What create, get, list and the start cost with a million stored tasks, beside what they cost with a thousand: once the
 * readers of the event log are at its end, and while they are millions of events behind.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '@millhand/test-e2e/server'
import { alternate } from '../alternate.ts'
import { digitsTasks } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { type FilledStore, filledStore } from '../fill/filled-store.ts'
import { mostBehind, readersAtEnd } from '../readers-at-end.ts'
import { acceptOnly, type LoadPlan, type Measured, targetOf, type Workbench } from '../workbench.ts'

const few = 1_000
const many = 1_000_000
/** Costs this many times as much at most. */
const mostRatio = 1.2
const mostRatioBehind = 1.5
/** Readers that are no further behind might be at the end before the measurement is. */
const leastBehind = 500_000

/** The two servers. */
interface Pair {
  readonly small: Server
  readonly large: Server
}

export async function* growth(workbench: Workbench): AsyncIterable<Figure> {
  const storeOfFew = await filledStore(workbench, few)
  const storeOfMany = await filledStore(workbench, many)
  await using small = await workbench.server({ ...storeOfFew, env: { ...storeOfFew.env, ...acceptOnly } })
  await using large = await workbench.server({ ...storeOfMany, env: { ...storeOfMany.env, ...acceptOnly } })
  const both = { small, large }
  const gets = { small: getsOf(workbench, storeOfFew), large: getsOf(workbench, storeOfMany) }

  const others = await otherCalls(workbench, small)
  const calls = [['get', gets] as const, ...others]
  // First, and not all of them: readers that nobody keeps from it read millions of events in a minute or two.
  for (const [name, plans] of calls.filter(([name]) => !name.endsWith('the filter'))) {
    const whileBehind = await measured(workbench, both, plans)
    const behind = await mostBehind(large)
    if (behind < leastBehind && name === 'get') throw new Error(`The readers were only ${behind} events behind.`)
    if (behind < leastBehind) {
      process.stderr.write(`No figure of ${name} and what follows it: the readers were only ${behind} events behind.\n`)
      break
    }
    yield* costs(`${name}, readers ${behind.toLocaleString('en')} events behind`, whileBehind, mostRatioBehind)
  }

  const starts = await alternate(workbench.rounds, { large: () => restart(large), small: () => restart(small) })
  yield {
    section: 'growth',
    name: `start to ready with ${many.toLocaleString('en')} tasks`,
    unit: 'ms',
    rounds: starts.large,
    aim: { most: 3000 },
    limits: [{ name: `with ${few.toLocaleString('en')}`, rounds: starts.small }],
    details: {},
  }
  for (const [name, plans] of calls) {
    await Promise.all([readersAtEnd(small), readersAtEnd(large)])
    yield* costs(name, await measured(workbench, both, plans), mostRatio)
  }
  await large.stop()
  yield {
    section: 'growth',
    name: 'stored for a small task, its events and its usage',
    unit: 'bytes',
    rounds: [statSync(join(storeOfMany.dataDir, 'millhand.db')).size / many],
    aim: { most: 6_500 },
    limits: [],
    details: {},
  }
}

async function restart(server: Server): Promise<number> {
  await server.stop()
  const begin = performance.now()
  await server.restart()
  return performance.now() - begin
}

interface Plans {
  readonly small: LoadPlan
  readonly large: LoadPlan
}

const measured = (workbench: Workbench, { small, large }: Pair, plans: Plans) =>
  alternate(workbench.rounds, {
    large: () => workbench.measure(targetOf(large), plans.large),
    small: () => workbench.measure(targetOf(small), plans.small),
  })

const readsOf = (workbench: Workbench, paths: readonly string[]): LoadPlan => ({
  connections: 16,
  requests: paths.map(path => ({ method: 'GET', path })),
  expect: { status: 200 },
  until: { seconds: workbench.seconds },
})

const getsOf = (workbench: Workbench, { ids }: FilledStore) =>
  readsOf(
    workbench,
    ids.map(id => `/v1/tasks/${id}`),
  )

/** Few creates, so that the small store stays small; reads for as long as every other measurement. */
async function otherCalls(workbench: Workbench, server: Server): Promise<[string, Plans][]> {
  const onBoth = (plan: LoadPlan): Plans => ({ small: plan, large: plan })
  const requests = await digitsTasks(server)
  return Object.entries({
    create: onBoth({ connections: 16, requests, expect: { status: 201 }, until: { requests: 2000 } }),
    'list, first page of 20': onBoth(readsOf(workbench, ['/v1/tasks?limit=20'])),
    'list, one in ten passes the filter': onBoth(readsOf(workbench, ['/v1/tasks?limit=20&status=cancelled'])),
  })
}

type Both = Readonly<Record<'large' | 'small', readonly Measured[]>>

function costs(name: string, { large, small }: Both, most: number): Figure[] {
  const figure = (what: string, unit: string, of: (measured: Measured) => number): Figure => ({
    section: 'growth',
    name: `${name}, ${what}`,
    unit,
    rounds: large.map(of),
    limits: [{ name: `with ${few.toLocaleString('en')}`, rounds: small.map(of), mostRatio: most }],
    details: { p99_ms: median(large.map(measured => measured.latency.p99)) },
  })
  return [
    figure('processor time', 'µs', measured => measured.cpu),
    figure('p50', 'ms', measured => measured.latency.p50),
  ]
}
