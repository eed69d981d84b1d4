/** A storm on instances of a real engine: a customer at work while the service, containers and the engine are killed. */
import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from '@millhand/test-e2e/http'
import { type Server, startServer } from '@millhand/test-e2e/server'
import { busyboxRoot, type Docker, startDocker } from '@millhand/test-servers'
import { type Random, random } from '../random.ts'
import { differences, metersWrongly, saidWrongly } from './checks.ts'
import { createCustomer } from './customer.ts'
import { type EngineRecord, recordEngine } from './engine-record.ts'

export interface StormSize {
  readonly instances: number
  readonly mostReplicas: number
  readonly operations: number
  /** Deaths of the service, of containers and of the engine, together. */
  readonly faults: number
}

export interface StormResult {
  readonly violations: readonly string[]
  /** From the end of the last fault until desired was observed. */
  readonly settledMs: number
  readonly polls: number
  readonly runs: number
  readonly faults: Readonly<Record<string, number>>
}

const IMAGE = 'millhand-test/server'
/** Waits for a signal without using the processor. */
const SCRIPT = 'trap "exit 0" TERM; while :; do sleep 60 & wait $!; done'
/** Of a broken product: it fails in place of hanging. */
const SETTLE_LIMIT_MS = 240_000
const ARCHIVE_LIMIT_MS = 300_000
const POLL_MS = 250
/** Between two operations, on average. */
const OPERATION_MS = 250

export async function storm(seed: number, size: StormSize, say: (line: string) => void): Promise<StormResult> {
  const began = performance.now()
  const startedAt = Date.now()
  say(`it began at ${new Date(startedAt).toISOString()}`)
  const tell = (line: string) => say(`[${((performance.now() - began) / 1_000).toFixed(1)} s] ${line}`)
  await using docker = await startDocker()
  const root = await busyboxRoot()
  await docker.importImage(root, IMAGE, [`ENTRYPOINT ${JSON.stringify(['sh', '-c', SCRIPT])}`])
  await rm(root, { recursive: true })
  await using server = await startServer({
    env: {
      MILLHAND_INSTANCE_DRIVER: 'docker',
      MILLHAND_DOCKER_HOST: docker.address,
      MILLHAND_INSTANCE_PRELOADED: IMAGE,
      MILLHAND_INSTANCE_SIZES: 'cpu=0.04x32',
      MILLHAND_EXECUTOR_SLOTS: '0',
    },
  })
  await using record = recordEngine(new URL(docker.address).pathname)
  const customer = createCustomer({ server, random: random(seed), image: IMAGE, ...size })
  await using watch = createWatch(customer.list, record)

  let isCalm = false
  const faults = injectFaults({
    docker,
    server,
    record,
    moments: random(seed + 1),
    count: size.faults,
    tell,
    watch,
  }).finally(() => {
    isCalm = true
  })
  const moments = random(seed + 2)
  let operations = 0
  const working = (async () => {
    for (; operations < size.operations || !isCalm; operations++) {
      await customer.operate()
      await pause(moments.between(0, 2 * OPERATION_MS))
    }
  })()
  const [counts] = await Promise.all([faults, working])
  tell(`${operations} operations were accepted`)
  tell(`the last of ${size.faults} faults`)

  const violations: string[] = []
  const settle = async (what: string): Promise<number> => {
    const began = performance.now()
    for (;;) {
      const containers = await record.look()
      const instances = await customer.list()
      const left = differences(customer.asked, instances, containers ?? [])
      const ms = performance.now() - began
      if (left.length === 0 && containers !== undefined) return ms
      if (ms < SETTLE_LIMIT_MS) await pause(POLL_MS)
      else {
        violations.push(...left.map(line => `${what}: ${line}`))
        return ms
      }
    }
  }
  const settledMs = await settle('after the last fault')
  tell(`desired is observed after ${(settledMs / 1_000).toFixed(1)} s`)
  await customer.endAll()
  await settle('after all were deleted')
  await watch[Symbol.asyncDispose]()
  let left = await record.leftovers()
  for (const limit = performance.now() + SETTLE_LIMIT_MS; left.length > 0 && performance.now() < limit; ) {
    await pause(POLL_MS)
    left = await record.leftovers()
  }
  violations.push(...left.map(name => `the engine has ${name} still`), ...watch.violations)
  if (left.length > 0) for (const line of await record.removeLeftovers()) tell(line)
  // The archive of events may be behind.
  let wrong = metersWrongly(record.runs, await customer.metered(), startedAt)
  for (const limit = performance.now() + ARCHIVE_LIMIT_MS; wrong.length > 0 && performance.now() < limit; ) {
    await pause(POLL_MS)
    wrong = metersWrongly(record.runs, await customer.metered(), startedAt)
  }
  violations.push(...wrong)
  for (const line of violations) tell(line)
  for (const run of record.runs.values())
    if (violations.some(line => line.includes(run.name))) for (const line of run.said) tell(`${run.name} ${line}`)
  for (const id of new Set(violations.flatMap(line => /inst[_-](\w{26})/.exec(line)?.[1] ?? [])))
    for (const line of await customer.history(`inst_${id}`, startedAt)) tell(line)
  const runs = [...record.runs.values()].filter(({ startedAt }) => startedAt !== undefined).length
  tell(`${watch.polls} polls, ${runs} runs of containers, faults: ${JSON.stringify(counts)}`)
  return { violations, settledMs, polls: watch.polls, runs, faults: counts }
}

/** Holds what the service says against the engine, again and again. */
function createWatch(list: () => Promise<readonly Wire[]>, record: EngineRecord) {
  const stop = new AbortController()
  const watch = {
    violations: [] as string[],
    polls: 0,
    /** When the service and the engine were both there again. */
    backAt: Date.now(),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
  const running = (async () => {
    while (!stop.signal.aborted) {
      const { backAt } = watch
      const saidAt = Date.now()
      const said = await list().catch(() => undefined)
      const containers = said && (await record.look())
      if (said && containers && backAt === watch.backAt) {
        watch.polls++
        watch.violations.push(...saidWrongly(said, containers, record.runs, { saidAt, backAt }))
      }
      await pause(POLL_MS, undefined, { signal: stop.signal }).catch(() => {})
    }
  })()
  return watch
}

interface FaultOptions {
  readonly docker: Docker
  readonly server: Server
  readonly record: EngineRecord
  readonly moments: Random
  readonly count: number
  readonly tell: (line: string) => void
  readonly watch: { backAt: number }
}

/** One fault after the other, at random moments. Resolves once all parts are there again, with how many of each there were. */
async function injectFaults({ docker, server, record, moments, count, tell, watch }: FaultOptions) {
  const counts: Record<string, number> = {}
  const container = async (): Promise<string | undefined> => {
    const running = ((await record.look()) ?? []).filter(({ isRunning }) => isRunning)
    return running[moments.between(0, Math.max(0, running.length - 1))]?.name
  }
  const faults: readonly (readonly [string, number, () => Promise<unknown>])[] = [
    [
      'service',
      4,
      async () => {
        await server.kill()
        await pause(moments.between(0, 3_000))
        await server.restart()
        watch.backAt = Date.now()
      },
    ],
    [
      'removed container',
      3,
      async () => {
        const name = await container()
        if (name) await docker.docker('rm', '--force', name)
      },
    ],
    [
      'killed container',
      3,
      async () => {
        const name = await container()
        if (name) await docker.docker('kill', name)
      },
    ],
    [
      'engine',
      3,
      async () => {
        await docker.kill()
        await pause(moments.between(0, 3_000))
        await docker.start()
        watch.backAt = Date.now()
      },
    ],
    [
      'service and engine',
      1,
      async () => {
        await Promise.all([server.kill(), docker.kill()])
        await docker.start()
        await server.restart()
        watch.backAt = Date.now()
      },
    ],
  ]
  // Each kind as often as its weight has it, in an order of chance.
  const deck = faults.flatMap(fault => Array.from({ length: fault[1] }, () => fault))
  const due: (typeof deck)[number][] = []
  for (let done = 0; done < count; done++) {
    await pause(moments.between(200, 1_500))
    if (due.length === 0) due.push(...deck)
    const [[name, , inject]] = due.splice(moments.between(0, due.length - 1), 1) as [(typeof deck)[number]]
    tell(`fault ${done + 1}: ${name}`)
    // A container may have gone by itself meanwhile.
    await inject().catch(error => {
      if (!name.endsWith('container')) throw error
    })
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
