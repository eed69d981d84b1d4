/** What create, get, list and the start cost with a million stored tasks: beside what they cost with a thousand. */
import type { Server } from '@millhand/test-e2e/server'
import { alternate } from '../alternate.ts'
import { digitsTasks } from '../digits-task.ts'
import { type Figure, median } from '../figure.ts'
import { filledStore } from '../fill/filled-store.ts'
import { acceptOnly, type LoadPlan, type Measured, targetOf, type Workbench } from '../workbench.ts'

const few = 1_000
const many = 1_000_000
/** Costs this many times as much at most. */
const mostRatio = 1.3

export async function growth(workbench: Workbench): Promise<Figure[]> {
  const storeOfFew = await filledStore(workbench, few)
  const storeOfMany = await filledStore(workbench, many)
  await using small = await workbench.server({ ...storeOfFew, env: { ...storeOfFew.env, ...acceptOnly } })
  await using large = await workbench.server({ ...storeOfMany, env: { ...storeOfMany.env, ...acceptOnly } })

  const starts = await alternate(workbench.rounds, { large: () => restart(large), small: () => restart(small) })
  const figures: Figure[] = [
    {
      section: 'growth',
      name: `start to ready with ${many.toLocaleString('en')} tasks`,
      unit: 'ms',
      rounds: starts.large,
      aim: { most: 3000 },
      limits: [{ name: `with ${few.toLocaleString('en')}`, rounds: starts.small }],
      details: {},
    },
  ]
  for (const [name, plans] of await calls(workbench, small, { small: storeOfFew.ids, large: storeOfMany.ids })) {
    const measured = await alternate(workbench.rounds, {
      large: () => workbench.measure(targetOf(large), plans.large),
      small: () => workbench.measure(targetOf(small), plans.small),
    })
    figures.push(...costs(name, measured.large, measured.small))
  }
  return figures
}

async function restart(server: Server): Promise<number> {
  await server.stop()
  const begin = performance.now()
  await server.restart()
  return performance.now() - begin
}

/** Few creates, so that the small store stays small; reads for as long as every other measurement. */
async function calls(workbench: Workbench, server: Server, ids: { readonly small: Ids; readonly large: Ids }) {
  const reads = (paths: readonly string[]): LoadPlan => ({
    connections: 16,
    requests: paths.map(path => ({ method: 'GET', path })),
    expect: { status: 200 },
    until: { seconds: workbench.seconds },
  })
  const gets = (of: Ids) => reads(of.map(id => `/v1/tasks/${id}`))
  const onBoth = (plan: LoadPlan) => ({ small: plan, large: plan })
  const requests = await digitsTasks(server)
  return Object.entries({
    create: onBoth({ connections: 16, requests, expect: { status: 201 }, until: { requests: 2000 } }),
    get: { small: gets(ids.small), large: gets(ids.large) },
    'list, first page of 20': onBoth(reads(['/v1/tasks?limit=20'])),
    'list, one in ten passes the filter': onBoth(reads(['/v1/tasks?limit=20&status=cancelled'])),
  })
}

type Ids = readonly string[]

function costs(name: string, large: readonly Measured[], small: readonly Measured[]): Figure[] {
  const figure = (what: string, unit: string, of: (measured: Measured) => number): Figure => ({
    section: 'growth',
    name: `${name}, ${what}`,
    unit,
    rounds: large.map(of),
    limits: [{ name: `with ${few.toLocaleString('en')}`, rounds: small.map(of), mostRatio }],
    details: { p99_ms: median(large.map(measured => measured.latency.p99)) },
  })
  return [
    figure('processor time', 'µs', measured => measured.cpu),
    figure('p50', 'ms', measured => measured.latency.p50),
  ]
}
