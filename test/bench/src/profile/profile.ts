/** `pnpm bench --profile`: what a task costs a server in calls, which are exact, and where its main thread spends its time. */
import { fileURLToPath } from 'node:url'
import type { Server } from '@millhand/test-e2e/server'
import { digitsTasks, succeeded } from '../digits-task.ts'
import type { Figure } from '../figure.ts'
import { plansWith } from '../plans-file.ts'
import { acceptOnly, type LoadPlan, targetOf, type Workbench } from '../workbench.ts'
import type { Counts } from './counts.ts'
import { type CpuProfile, profileShares } from './profile-parts.ts'
import { profiledServer } from './profiled-server.ts'

const product = fileURLToPath(new URL('../../../../deploy/src/start.ts', import.meta.url))
const noop = fileURLToPath(new URL('../noop-server.ts', import.meta.url))

interface Scenario {
  readonly name: string
  readonly entry: string
  readonly env?: Readonly<Record<string, string>>
  /** Seconds that a create waits for its end. */
  readonly wait?: number
  readonly connections: number
  readonly expect: LoadPlan['expect']
}

const waited = { wait: 30, expect: succeeded }
const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  accept: [
    {
      name: 'creates, 64 connections',
      entry: product,
      env: acceptOnly,
      connections: 64,
      expect: { status: 201 },
    },
  ],
  lifecycle: [{ ...waited, name: 'no-op tasks, 128 connections', entry: noop, connections: 128 }],
  wait: [
    { ...waited, name: 'digits, 1 connection', entry: product, connections: 1 },
    { ...waited, name: 'digits, 128 connections', entry: product, connections: 128 },
  ],
}

/** What can be profiled: the sections of these names measure the same load. */
export const profiles = Object.keys(scenarios)

export async function* profile(workbench: Workbench, name: string): AsyncIterable<Figure> {
  for (const scenario of scenarios[name] ?? []) {
    yield* countFigures(scenario, await measured(workbench, scenario, 'counts'))
    yield* timeFigures(scenario, await measured(workbench, scenario, 'cpu'))
  }
}

interface Found {
  readonly tasks: number
  readonly found: unknown
}

/** Each on a server of its own: what counts calls costs time. */
async function measured(workbench: Workbench, scenario: Scenario, what: 'counts' | 'cpu'): Promise<Found> {
  const { entry, connections, wait, expect } = scenario
  const folder = workbench.folder()
  const env = { ...scenario.env, ...plansWith('max_queued', 1_000_000_000, folder) }
  await using profiled = await profiledServer({ what, entry, env, folder })
  const requests = await digitsTasks(profiled.server, wait)
  const load = (server: Server, seconds: number) =>
    workbench.measure(targetOf(server), { connections, requests, expect, until: { seconds } })
  await load(profiled.server, Math.max(1, workbench.seconds / 2))
  let tasks = 0
  const found = await profiled.during(async () => {
    tasks = (await load(profiled.server, workbench.seconds)).good
  })
  return { tasks, found }
}

/** In the order of the table. */
const countNames: Readonly<Record<keyof Counts, string>> = {
  transactions: 'transactions',
  syncs: 'syncs of the disk',
  statements: 'statements that write',
  reads: 'statements that read',
  recordWrites: 'rows of tasks written',
  recordEncodes: 'tasks made JSON for the store',
  events: 'events appended',
  eventCopies: 'rows that hold an event again',
  written: 'characters given to the store',
  validations: 'messages checked',
  stringified: 'JSON.stringify',
  parsed: 'JSON.parse',
}

function countFigures({ name }: Scenario, { tasks, found }: Found): Figure[] {
  const counts = found as Counts
  return Object.entries(countNames).map(([count, what]) => ({
    section: 'profile',
    name: `${name}: ${what}`,
    unit: 'a task',
    rounds: [counts[count as keyof Counts] / tasks],
    limits: [],
    details: {},
  }))
}

const MOST_PARTS = 15
const MOST_FUNCTIONS = 20

function timeFigures({ name }: Scenario, { tasks, found }: Found): Figure[] {
  const { profile: sampled, processorUs } = found as { profile: CpuProfile; processorUs: number }
  const { busyUs, parts, functions } = profileShares(sampled)
  const figure = (what: string, us: number): Figure => ({
    section: 'profile',
    name: what,
    unit: 'µs',
    rounds: [((us / busyUs) * processorUs) / tasks],
    limits: [],
    details: { percent: (us * 100) / busyUs },
  })
  return [
    figure(`${name}: processor time of the main thread`, busyUs),
    ...[...parts].slice(0, MOST_PARTS).map(([part, us]) => figure(`  ${part}`, us)),
    ...[...functions].slice(0, MOST_FUNCTIONS).map(([called, us]) => figure(`    ${called}`, us)),
  ]
}
