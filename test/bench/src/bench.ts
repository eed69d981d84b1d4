/**
 * `pnpm bench [--distributed | --profile] [section …] [--seconds N] [--rounds N] [--peer NAME] [--json] [--out FILE]`: what this machine reaches,
 * each figure beside its limits from the same run. Seconds are those of one measurement. `--json` prints lines of JSON instead of
 * the table; `--out` appends them to a file as well. Exits 1, after all of them, where a figure is not what the project wants of it.
 * `peers` installs other systems, so it runs only where it is named; `--peer` says which of them, more than once for several.
 * So does `day`, which takes minutes: `--calls` says how many calls it sends, and `--pace` how many a second.
 */
import { appendFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, jsonLine, reached } from './figure.ts'
import { peerNames, peersFolder, usualPeers } from './peers/peers-folder.ts'
import { profile, profiles } from './profile/profile.ts'
import { accept } from './section/accept.ts'
import { auth } from './section/auth.ts'
import { batchTasks } from './section/batch-tasks.ts'
import { batches } from './section/batches.ts'
import { billing } from './section/billing.ts'
import { day, distributedDay } from './section/day.ts'
import { distributed } from './section/distributed.ts'
import { distributedFiles } from './section/distributed-files.ts'
import { distributedStreams } from './section/distributed-streams.ts'
import { distributedWebhooks } from './section/distributed-webhooks.ts'
import { files } from './section/files.ts'
import { growth } from './section/growth.ts'
import { instances } from './section/instances.ts'
import { lifecycle } from './section/lifecycle.ts'
import { limit } from './section/limit.ts'
import { memory } from './section/memory.ts'
import { peers } from './section/peers.ts'
import { recovery } from './section/recovery.ts'
import { standIns } from './section/stand-ins.ts'
import { start } from './section/start.ts'
import { streams } from './section/streams.ts'
import { tracing } from './section/tracing.ts'
import { training } from './section/training.ts'
import { usage } from './section/usage.ts'
import { wait } from './section/wait.ts'
import { webhooks } from './section/webhooks.ts'
import { workforce } from './section/workforce.ts'
import { workforceTimes } from './section/workforce-times.ts'
import { tableHead, tableLines } from './table.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

type Sections = Readonly<Record<string, (workbench: Workbench) => Promise<Figure[]> | AsyncIterable<Figure>>>

const sections: Sections = {
  accept,
  lifecycle,
  wait,
  start,
  growth,
  memory,
  files,
  'batch-tasks': batchTasks,
  batches,
  streams,
  usage,
  billing,
  auth,
  limit,
  instances,
  webhooks,
  workforce,
  'workforce-times': workforceTimes,
  training,
  tracing,
  peers: workbench => peers(workbench, options.peer),
  day: workbench => day(workbench, options),
}

/** What runs only where it is named. */
const byNameOnly: readonly string[] = ['peers', 'day']

/** What `--distributed` measures in the place of all that. */
const distributedSections: Sections = {
  distributed,
  'stand-ins': standIns,
  recovery,
  files: distributedFiles,
  streams: distributedStreams,
  webhooks: distributedWebhooks,
  day: workbench => distributedDay(workbench, options),
}

/** What `--profile` measures: calls and processor time in the server, a task, under the load of the section. */
const profileSections: Sections = Object.fromEntries(
  profiles.map(name => [name, (workbench: Workbench) => profile(workbench, name)]),
)

const { options, offered, chosen } = readCommand()

// An interrupt ends through `exit`, whose listeners end the servers and remove the data.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const machine = JSON.stringify({
  at: new Date().toISOString(),
  processor: cpus()[0]?.model,
  cores: availableParallelism(),
  node: process.version,
  load_before: loadavg()[0],
  seconds: options.seconds,
  rounds: options.rounds,
})
say([machine], machine)

await using workbench = openWorkbench(options)
for (const name of chosen) {
  if (!options.json) process.stdout.write(`\n${name}\n${tableHead()}\n`)
  const figures = offered[name]?.(workbench) ?? []
  for await (const figure of 'then' in figures ? await figures : figures) {
    say(tableLines(figure), jsonLine(figure))
    if (reached(figure) === false) process.exitCode = 1
  }
}

function readCommand() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        seconds: { type: 'string', default: '5' },
        rounds: { type: 'string', default: '3' },
        json: { type: 'boolean', default: false },
        out: { type: 'string' },
        distributed: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        calls: { type: 'string', default: '1000000' },
        pace: { type: 'string' },
        peer: { type: 'string', multiple: true, default: [...usualPeers] },
      },
    })
    const offered = values.profile ? profileSections : values.distributed ? distributedSections : sections
    const usual = Object.keys(offered).filter(name => !byNameOnly.includes(name))
    const chosen = positionals.length > 0 ? positionals : usual
    const unknown = positionals.find(name => !Object.hasOwn(offered, name))
    if (unknown !== undefined) throw new Error(`There is no section ${unknown}.`)
    const options = {
      ...values,
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
      calls: Number(values.calls),
      pace: values.pace === undefined ? undefined : Number(values.pace),
    }
    if (!(options.seconds > 0 && options.rounds >= 1)) throw new Error('--seconds and --rounds take positive numbers.')
    if (!(Number.isInteger(options.calls) && options.calls > 0))
      throw new Error('--calls takes a positive whole number.')
    if (options.pace !== undefined && !(options.pace > 0)) throw new Error('--pace takes a positive number.')
    const stranger = options.peer.find(name => !peerNames.includes(name))
    if (stranger !== undefined) throw new Error(`There is no peer ${stranger}.`)
    if (chosen.includes('peers')) peersFolder(options.peer)
    return { options, offered, chosen }
  } catch (cause) {
    const usage = `pnpm bench [${Object.keys(sections).join(' | ')} …] [--seconds 5] [--rounds 3] [--json] [--out FILE]
pnpm bench peers [--peer ${peerNames.join(' | ')}] … [the same]
pnpm bench [--distributed] day [--calls 1000000] [--pace N] [the same]
pnpm bench --profile [${profiles.join(' | ')} …] [the same]
pnpm bench --distributed [${Object.keys(distributedSections).join(' | ')} …] [the same]`
    process.stderr.write(`${(cause as Error).message}\n${usage}\n`)
    process.exit(2)
  }
}

/** Lines for people, or JSON for programs; the file always gets the JSON. */
function say(lines: readonly string[], json: string): void {
  process.stdout.write(options.json ? `${json}\n` : `${lines.join('\n')}\n`)
  if (options.out !== undefined) appendFileSync(options.out, `${json}\n`)
}
