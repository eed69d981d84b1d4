/**
 * `pnpm faults [--minutes 30] [--seed n] [--tasks 4000]`: run after run, each of the next seed, until the time is over
 * or a broken promise is found. Then it prints the seed, what was broken and where the logs are, and exits with 1.
 *
 * `pnpm faults --webhooks [--minutes 30] [--seed n]`: the same for the storm on webhooks.
 *
 * `pnpm faults --stalls [--minutes 30] [--seed n]`: the same on a store that stands still again and again: for 1.6 s in
 * every 4 s, then at random.
 *
 * `pnpm faults --rolling`: one rolling restart of everything under 200 requests a second and 50 event streams; exits with
 * 1 when one of them failed.
 *
 * `pnpm faults --hostile-tenant [--minutes 5]`: a tenant's times alone and beside one that is as hostile as its plan allows, and
 * the server's memory, each beside its limit; exits with 1 when one is over it.
 *
 * `pnpm faults --mutate fence|version|outbox|place|deduplication [--seed n]`: one run of the product without that, or of
 * the test that knows it; exits with 1 when nothing was found.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repository } from '@millhand/test-e2e/server'
import { figuresOf } from './hostile/report.ts'
import { runHostile } from './hostile/run.ts'
import { isFound, type Mutation, mutatedTree, mutations } from './mutations.ts'
import { chosenSeed } from './random.ts'
import { rollingRestart } from './rolling.ts'
import { run } from './run.ts'
import { run as runWebhooks } from './webhooks/run.ts'
import { type Size, sizes } from './webhooks/storm-size.ts'

const usage = `pnpm faults [--minutes 30] [--seed n] [--tasks 4000]
pnpm faults --webhooks [--minutes 30] [--seed n]
pnpm faults --stalls [--minutes 30] [--seed n]
pnpm faults --rolling
pnpm faults --hostile-tenant [--minutes 5]
pnpm faults --mutate ${Object.keys(mutations).join('|')} [--seed n] [--tasks 4000]`

const SHOWN = 20

// An interrupt ends through `exit`, whose listeners end what was started.
// Each process that it starts listens for its end.
process.setMaxListeners(0)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const { minutes, seed, tasks, webhooks, stalls, rolling, hostileTenant, mutation } = readCommand()
process.exit(await chosenRun())

function chosenRun(): Promise<number> {
  if (rolling) return roll()
  if (hostileTenant) return standHostileTenant()
  return mutation ? findMutation(mutation) : search()
}

/** 1 when a figure is over its limit. */
async function standHostileTenant(): Promise<number> {
  const hostileRun = await runHostile(minutes)
  const figures = figuresOf(hostileRun)
  for (const { name, value, limit, isWithin } of figures)
    say(`${isWithin ? 'ok  ' : 'OVER'} ${name.padEnd(32)} ${value.padStart(8)}   ${limit}`)
  for (const failure of [...hostileRun.alone.failures, ...hostileRun.beside.failures].slice(0, SHOWN)) say(failure)
  for (const [attack, { rounds, statuses }] of Object.entries(hostileRun.tally))
    say(`${attack}: ${rounds} rounds, ${JSON.stringify(statuses)}`)
  return figures.every(({ isWithin }) => isWithin) ? 0 : 1
}

/** 1 when a request or a stream failed. */
async function roll(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-rolling-'))
  say(`logs and data in ${folder}`)
  const size = { perSecond: 200, streams: 50, drainSeconds: 5 }
  const { lost, refused, misbilled, ...figures } = await rollingRestart({ ...size, root: repository, folder, say })
  say(JSON.stringify(figures))
  const failures = [...lost, ...refused, ...misbilled]
  if (failures.length === 0) {
    rmSync(folder, { recursive: true })
    return 0
  }
  say([`${failures.length} failures, logs in ${folder}:`, ...failures.slice(0, SHOWN)].join('\n'))
  return 1
}

/** Runs until the time is over; 1 when a promise was broken. */
async function search(): Promise<number> {
  const until = performance.now() + minutes * 60_000
  for (let next = seed; ; next++) {
    const folder = mkdtempSync(join(tmpdir(), 'millhand-faults-'))
    for (const size of stalls ? [sizes.evenStalls, sizes.oddStalls] : [webhooks ? sizes.whole : undefined]) {
      const violations = await runIn(folder, next, repository, size)
      if (violations.length > 0) return 1
      rmSync(folder, { recursive: true })
    }
    if (performance.now() > until) return 0
  }
}

async function findMutation(mutation: Mutation): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-mutation-'))
  const root = join(folder, 'tree')
  mutatedTree(repository, root, mutation)
  const { foundBy, isOfWebhooks = false } = mutation
  const found = foundBy
    ? isFound(root, foundBy)
    : (await runIn(folder, seed, root, isOfWebhooks ? sizes.whole : undefined)).length > 0
  say(found ? 'The mutation was found.' : `THE MUTATION WAS NOT FOUND; logs in ${folder}`)
  if (found) rmSync(folder, { recursive: true })
  return found ? 0 : 1
}

/** One run, of the storm on webhooks where it has a size; every breach of a promise, in words. */
async function runIn(folder: string, seed: number, root: string, size: Size | undefined): Promise<readonly string[]> {
  say(`seed ${seed} (--seed ${seed} replays it); logs and data in ${folder}`)
  const { violations } = size
    ? await runWebhooks({ seed, size, root, folder, say })
    : await run({ seed, tasks, root, folder, say })
  if (violations.length === 0) return violations
  say([`${violations.length} broken promises, all in ${folder}:`, ...violations.slice(0, SHOWN)].join('\n'))
  return violations
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function readCommand() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        tasks: { type: 'string', default: '4000' },
        webhooks: { type: 'boolean', default: false },
        stalls: { type: 'boolean', default: false },
        rolling: { type: 'boolean', default: false },
        'hostile-tenant': { type: 'boolean', default: false },
        mutate: { type: 'string' },
      },
    })
    const mutation = values.mutate === undefined ? undefined : mutations[values.mutate]
    if (values.mutate !== undefined && !mutation) throw new Error(`There is no mutation ${values.mutate}.`)
    const hostileTenant = values['hostile-tenant']
    const minutes = Number(values.minutes ?? (hostileTenant ? 5 : 0))
    const tasks = Number(values.tasks)
    const seed = values.seed === undefined ? chosenSeed() : Number(values.seed)
    if (!(minutes >= 0 && tasks >= 1 && Number.isSafeInteger(seed))) throw new Error('The options take numbers.')
    return {
      minutes,
      tasks,
      seed,
      webhooks: values.webhooks,
      stalls: values.stalls,
      rolling: values.rolling,
      hostileTenant,
      mutation,
    }
  } catch (cause) {
    process.stderr.write(`${(cause as Error).message}\n${usage}\n`)
    process.exit(2)
  }
}
