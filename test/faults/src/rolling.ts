/**
 * A rolling restart of every process while clients call and read streams: which of their requests failed. The replicas of
 * a service go one after the other, all services at the same time.
 */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openEvents } from '@millhand/test-e2e/event-stream'
import { type Answer, type RequestOptions, send } from '@millhand/test-e2e/http'
import { createBalancer } from './balancer.ts'
import { taskBillFaults } from './bills.ts'
import { createPace } from './rate-pacing.ts'
import { isEnd } from './stream-reader.ts'
import { allMembers, type MemberName, startSystem } from './system.ts'
import { digits } from './task-requests.ts'

export interface RollingOptions {
  readonly root: string
  /** Where data and logs go. */
  readonly folder: string
  /** Requests a second at most; as many as the machine can answer where that is less. */
  readonly perSecond: number
  /** Event streams that are open at a time. */
  readonly streams: number
  readonly drainSeconds: number
  readonly say: (line: string) => void
}

export interface Rolled {
  readonly requests: number
  /** Streams that were read to their end, and how often a reader had to come back. */
  readonly streams: number
  readonly returns: number
  /** Requests that got no answer and streams that broke off, each with the processes that were away then. */
  readonly lost: readonly string[]
  /** Answers that are no success, and none in time: a machine that is far too busy gives some without any restart. */
  readonly refused: readonly string[]
  /** What is billed and did not run, and what ran and is not billed. */
  readonly misbilled: readonly string[]
}

/** Clients that wait for nothing but the answer to their last request. */
const CLIENTS = 32
/** An answer that does not come for so long has failed. */
const ANSWER_MS = 60_000
const BILL_LIMIT_MS = 300_000

export async function rollingRestart(options: RollingOptions): Promise<Rolled> {
  const { root, folder, perSecond, drainSeconds, say } = options
  await using system = await startSystem({ root, folder, members: allMembers, drainSeconds, executorSlots: 32 })
  await using balancer = await createBalancer(system.urls())
  const agent = new Agent({ keepAlive: true })
  const authorization = `Bearer ${system.testKey}`
  const live = { authorization: `Bearer ${system.key}` }
  const lost: string[] = []
  const refused: string[] = []
  const restarting = new Set<MemberName>()
  const found = { requests: 0, streams: 0, returns: 0 }
  const fail = (what: string, error?: unknown) => {
    const list = error === undefined || error instanceof Refused || isLate(error) ? refused : lost
    list.push(`${what}, while these were restarted: ${[...restarting].join(' ')}`)
  }

  const call = async (method: string, path: string, more: RequestOptions = {}): Promise<Answer | undefined> => {
    const url = balancer.pick()
    const late = AbortSignal.timeout(ANSWER_MS)
    const headers = { authorization, ...more.headers }
    found.requests++
    try {
      if (url === undefined) throw await notReady()
      const answer = await send(method, url + path, { ...more, headers, agent, signal: late })
      if (answer.status < 400) return answer
      fail(`${method} ${path} was answered ${answer.status} ${answer.text}`)
    } catch (error) {
      fail(`${method} ${path} got no answer: ${error}`, error)
    }
    return undefined
  }

  const pace = createPace(perSecond)
  pace.admit(Number.POSITIVE_INFINITY)
  const client = async (first: number) => {
    for (let turn = first; await pace.turn(); turn++) await requests[turn % requests.length]?.(call, live)
  }

  /** The tasks whose streams are read: they run until they are cancelled. */
  const watched = new Set<string>()
  const reader = async () => {
    while (balancer.isOpen) {
      const created = await call('POST', '/v1/tasks', { json: { ...task(LIFE_MS), max_attempts: 10 } })
      if (created === undefined) continue
      const { id } = created.body
      watched.add(id)
      if (!balancer.isOpen) await call('DELETE', `/v1/tasks/${id}`)
      await readToEnd(id)
      watched.delete(id)
    }
  }

  /** Comes back only when it is told to: a stream that breaks off has failed. */
  async function readToEnd(id: string) {
    let last: string | undefined
    for (let opened = 0; ; opened++) {
      const url = balancer.pick()
      const headers = { authorization, ...(last !== undefined && { 'last-event-id': last }) }
      try {
        if (url === undefined) throw await notReady()
        using stream = await openEvents(`${url}/v1/tasks/${id}/events`, { headers })
        if (stream.status !== 200 && stream.status !== 204) throw new Refused(`${stream.status} ${await stream.text()}`)
        const how = stream.status === 204 ? 'ended' : await readSome(stream, event => (last = event))
        if (how === 'broken') throw new Error('it broke off')
        if (opened > 0) found.returns++
        if (how === 'told to come back') continue
        found.streams++
      } catch (error) {
        fail(`the stream of ${id}, opened ${opened + 1} times: ${error}`, error)
      }
      return
    }
  }

  const working = [
    ...Array.from({ length: CLIENTS }, (_, at) => client(at)),
    ...Array.from({ length: options.streams }, reader),
  ]
  const services = Object.values(Object.groupBy(allMembers, name => name.split('-')[0] as string))
  await Promise.all(
    services.map(async replicas => {
      for (const name of replicas ?? []) await restart(name)
    }),
  )
  balancer.close()
  pace.stop()
  await Promise.all([...watched].map(id => call('DELETE', `/v1/tasks/${id}`)))
  await Promise.all(working)
  agent.destroy()
  const misbilled = await taskBillFaults({ ...system, keys: [system.key] }, BILL_LIMIT_MS)
  return { ...found, lost, refused, misbilled }

  async function restart(name: MemberName) {
    restarting.add(name)
    const member = system.members.get(name)
    if (member === undefined) throw new Error(`there is no ${name}`)
    await member.stop()
    await member.start()
    // The next one is stopped once this one serves, as an orchestrator does it.
    await balancer.settled()
    restarting.delete(name)
    say(`${name} is back; ${found.requests} requests and ${lost.length + refused.length} failures so far`)
  }
}

/** The service answered, and could not do it. */
class Refused extends Error {}

/** After a pause: who asks again at once keeps the process from hearing that a gateway is ready. */
const notReady = async () => {
  await pause(100)
  return new Refused('no gateway is ready')
}

const isLate = (error: unknown) => error instanceof Error && /abort|timeout/i.test(error.name)

/** A task that is billed. */
const DIGIT = JSON.stringify(digits[0]?.pixels)

/** A task of the sandbox that takes so long. */
const task = (ms: number) => ({ type: 'inference', model: 'digits', input: `sandbox:slow:${ms}` })

/** Longer than all of it takes, so that every stream is there when its gateway stops. */
const LIFE_MS = 600_000

type Call = (method: string, path: string, more?: RequestOptions) => Promise<Answer | undefined>

const requests: readonly ((call: Call, live: { readonly authorization: string }) => Promise<unknown>)[] = [
  call => call('GET', '/v1/tasks?limit=5'),
  async call => {
    const created = await call('POST', '/v1/tasks', { json: task(20) })
    if (created !== undefined) await call('GET', `/v1/tasks/${created.body.id}`)
  },
  call => call('GET', '/v1/usage'),
  call => call('POST', '/v1/tasks', { json: task(20), headers: { 'idempotency-key': crypto.randomUUID() } }),
  call => call('POST', '/v1/tasks', { json: task(500), headers: { prefer: 'wait=5' } }),
  call => call('GET', '/v1/workforce/usage'),
  (call, live) =>
    call('POST', '/v1/tasks', { json: { type: 'inference', model: 'digits', input: DIGIT }, headers: live }),
  async call => {
    const created = await call('POST', '/v1/tasks', { json: task(60_000) })
    if (created !== undefined) await call('DELETE', `/v1/tasks/${created.body.id}`)
  },
  call => call('GET', '/v1/webhooks'),
  call => call('GET', '/v1/models'),
]

/** Reads until the task's end, the server's word to come back, or the end of what comes. */
async function readSome(
  stream: Awaited<ReturnType<typeof openEvents>>,
  onId: (id: string) => void,
): Promise<'ended' | 'told to come back' | 'broken'> {
  for await (const event of stream) {
    if (event.type === 'error') {
      if (event.data.code === 'unavailable') return 'told to come back'
      throw new Error(JSON.stringify(event.data))
    }
    if (event.id !== undefined) onId(event.id)
    if (isEnd(event)) return 'ended'
  }
  return 'broken'
}
