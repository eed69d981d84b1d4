/** What a Docker engine says of the containers of a deployment, kept past their removal: the truth that records are held to. */
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** The one run of a container. Times are milliseconds since 1970. */
export interface Run {
  readonly name: string
  readonly instance: string
  readonly index: number
  /** When it was heard of. */
  readonly knownAt: number
  startedAt?: number
  /** Whether the engine itself has told the start of one that it has, and not only the event. */
  isStartKnown?: true
  /** By the engine: `FinishedAt`, or the event of the end of one that was removed at once. */
  endedAt?: number
  /** The latest time at which the engine said that it runs. */
  seenAt?: number
  /** The first time at which the engine did not have it any more. */
  missedAt?: number
  /** What the engine has said of it, each change once, for a failure. */
  readonly said: string[]
}

/** A container as the engine has it now. */
export interface Container {
  readonly name: string
  readonly instance: string
  readonly index: number
  readonly isRunning: boolean
}

export interface EngineRecord extends AsyncDisposable {
  readonly runs: ReadonlyMap<string, Run>
  /** All containers as they are now; undefined where the engine does not answer. */
  look(): Promise<readonly Container[] | undefined>
  /** The networks and volumes that are there. */
  leftovers(): Promise<readonly string[]>
  /** What the engine answers when they are removed, for a failure: its own bookkeeping may be the cause. */
  removeLeftovers(): Promise<readonly string[]>
}

const LABEL = 'millhand.deployment=millhand'

export function recordEngine(socketPath: string): EngineRecord {
  const runs = new Map<string, Run>()
  const stop = new AbortController()
  const get = (path: string) => answerOf(socketPath, path)
  const following = follow()

  function runOf(name: string, labels: Readonly<Record<string, string>>): Run {
    const known = runs.get(name)
    if (known !== undefined) return known
    const [instance, index] = [`${labels['millhand.instance']}`, Number(labels['millhand.index'])]
    const run: Run = { name, instance, index, knownAt: Date.now(), said: [] }
    runs.set(name, run)
    return run
  }

  async function follow(): Promise<void> {
    const filters = encodeURIComponent(JSON.stringify({ label: [LABEL], type: ['container'], event: ['start', 'die'] }))
    while (!stop.signal.aborted) {
      try {
        const stream = await open(socketPath, `/events?filters=${filters}`, stop.signal)
        let rest = ''
        for await (const chunk of stream.setEncoding('utf8')) {
          rest += chunk
          const lines = rest.split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) if (line !== '') take(JSON.parse(line))
        }
      } catch {} // The engine is away.
      await pause(20, undefined, { signal: stop.signal }).catch(() => {})
    }
  }

  function take({ Action, Actor: { Attributes }, timeNano }: EngineEvent): void {
    const run = runOf(Attributes.name as string, Attributes)
    const at = Math.floor(timeNano / 1e6)
    note(run, `event ${Action} of ${new Date(at).toISOString()}`)
    if (Action === 'start') run.startedAt ??= at
    else run.endedAt ??= at
  }

  function note({ said }: Run, line: string): void {
    const at = new Date().toISOString()
    if (said.at(-1)?.endsWith(line) !== true) said.push(`${at}: ${line}`)
  }

  return {
    runs,
    async look() {
      try {
        const askedAt = Date.now()
        const listed = (await get(`/containers/json?all=1&${filtersOf()}`)) as { Id: string }[]
        const inspected = await Promise.all(listed.map(({ Id }) => get(`/containers/${Id}/json`)))
        const now = Date.now()
        const names = new Set((inspected as (Inspected | undefined)[]).map(found => found?.Name.slice(1)))
        for (const run of runs.values())
          if (run.knownAt < askedAt && run.startedAt !== undefined && !names.has(run.name)) run.missedAt ??= now
        return (inspected as (Inspected | undefined)[]).flatMap(found => {
          if (found === undefined) return []
          const { Name, Config, State } = found
          const run = runOf(Name.slice(1), Config.Labels)
          note(run, `${State.Status} ${State.ExitCode} from ${State.StartedAt} to ${State.FinishedAt}`)
          const [startedAt, endedAt] = [Date.parse(State.StartedAt), Date.parse(State.FinishedAt)]
          if (startedAt > 0) Object.assign(run, { startedAt, isStartKnown: true })
          if (State.Running) run.seenAt = now
          else if (endedAt > 0) run.endedAt = endedAt
          return [{ name: run.name, instance: run.instance, index: run.index, isRunning: State.Running }]
        })
      } catch {
        return undefined
      }
    },
    async leftovers() {
      const { Volumes } = (await get(`/volumes?${filtersOf()}`)) as { Volumes: { Name: string }[] | null }
      const networks = (await get(`/networks?${filtersOf()}`)) as { Id: string; Name: string }[]
      const used = await Promise.all(networks.map(({ Id }) => get(`/networks/${Id}`)))
      const saidOf = (network: unknown) => JSON.stringify((network as { Containers?: unknown } | undefined)?.Containers)
      return [
        ...(Volumes ?? []).map(({ Name }) => `the volume ${Name}`),
        ...networks.map(({ Name }, at) => `the network ${Name}, used by ${saidOf(used[at])}`),
      ]
    },
    async removeLeftovers() {
      const networks = (await get(`/networks?${filtersOf()}`)) as { Id: string; Name: string }[]
      const remove = (id: string) => answerOf(socketPath, `/networks/${id}`, 'DELETE')
      return await Promise.all(networks.map(async ({ Id, Name }) => `${Name}: ${JSON.stringify(await remove(Id))}`))
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await following
    },
  }
}

const filtersOf = () => `filters=${encodeURIComponent(JSON.stringify({ label: [LABEL] }))}`

interface EngineEvent {
  readonly Action: string
  readonly Actor: { readonly Attributes: Readonly<Record<string, string>> }
  readonly timeNano: number
}

interface Inspected {
  readonly Name: string
  readonly Config: { readonly Labels: Readonly<Record<string, string>> }
  readonly State: {
    readonly Status: string
    readonly Running: boolean
    readonly ExitCode: number
    readonly StartedAt: string
    readonly FinishedAt: string
  }
}

/** An engine that has stopped answering counts as one that is away. */
const ANSWER_MS = 60_000

/** Undefined where the engine has no such thing. */
async function answerOf(socketPath: string, path: string, method = 'GET'): Promise<unknown> {
  const stream = await open(socketPath, path, AbortSignal.timeout(ANSWER_MS), method)
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  return stream.statusCode === 404 || text === '' ? undefined : JSON.parse(text)
}

function open(socketPath: string, path: string, signal: AbortSignal, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, method, signal, agent: false }, resolve).on('error', reject).end()
  })
}
