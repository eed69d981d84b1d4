/** Clients that create tasks, look at them and cancel them, and write down what they were told. */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send, type Wire } from '@millhand/test-e2e/http'
import type { Acknowledged, Cancellation, Look } from './history-checks.ts'

/** What a client wants of one task. */
export interface TaskRequest {
  /** The body of the create. */
  readonly create: object
  /** `Prefer` of the create. */
  readonly prefer?: string
  /** `Idempotency-Key` of the create: each try has the same. */
  readonly key?: string
  /** What the output must be, if it succeeds; undefined where it is not looked at. */
  readonly answer: number | undefined
  /** Milliseconds between the create and `act`. */
  readonly pauseMs: number
  /** What comes after the create: nothing, a cancel, or looks until it has ended or five were had. */
  readonly act: 'leave' | 'cancel' | 'look'
}

export interface Seen {
  readonly acknowledged: Acknowledged[]
  readonly cancellations: Cancellation[]
  readonly looks: Look[]
  /** Requests to which no answer came, or that the service could not serve then: what became of them is not known. */
  unanswered: number
  /** Answers that no client should get, whatever has died. */
  readonly unexpected: string[]
}

export interface ClientOptions {
  /** Where the gateways are now; the clients take turns. */
  readonly urls: () => readonly string[]
  readonly key: string
  readonly clients: number
  /** The next task, undefined when there are no more. May wait, so that the work is spread over the faults. */
  readonly next: () => Promise<TaskRequest | undefined>
  /** Statuses that say that the service can't serve now; by default 503 and 504. */
  readonly unavailable?: readonly number[]
  /** Told of each answer that says so. */
  readonly onUnavailable?: (answer: Answer) => void
}

/** How long a client waits for an answer before it takes the request for lost. */
const PATIENCE_MS = 20_000

export interface Clients {
  /** What they have been told so far. */
  readonly seen: Seen
  /** Creates one task and does what the request says with it. Resolves with how it was last seen; undefined: unanswered. */
  fulfil(request: TaskRequest, signal?: AbortSignal): Promise<Wire | undefined>
  /** Resolves when there are no more tasks, and all of them were answered. */
  run(): Promise<Seen>
}

export function createClients(options: ClientOptions): Clients {
  const { unavailable = [503, 504] } = options
  const agent = new Agent({ keepAlive: true })
  const seen: Seen = { acknowledged: [], cancellations: [], looks: [], unanswered: 0, unexpected: [] }
  let turn = 0

  /** Undefined when there was no answer; then this waits a little, so that the next try finds it more likely. */
  const call = async (
    method: string,
    path: string,
    more: object,
    signal?: AbortSignal,
  ): Promise<Answer | undefined> => {
    const urls = options.urls()
    const url = urls[turn++ % urls.length] as string
    const late = AbortSignal.timeout(PATIENCE_MS)
    const headers = { authorization: `Bearer ${options.key}`, ...(more as { headers?: object }).headers }
    try {
      const ending = signal ? AbortSignal.any([late, signal]) : late
      const answer = await send(method, url + path, { ...more, agent, headers, signal: ending })
      if (!unavailable.includes(answer.status)) return answer
      options.onUnavailable?.(answer)
    } catch {
      // It may have been done all the same.
    }
    seen.unanswered++
    await pause(100)
    return undefined
  }

  /** The same again until it is answered: for calls that may be repeated. */
  const answered = async (method: string, path: string, more: object = {}, signal?: AbortSignal): Promise<Answer> => {
    for (;;) {
      const answer = await call(method, path, more, signal)
      if (answer) return answer
      signal?.throwIfAborted()
    }
  }

  const saw = ({ id, status, resource_version: version }: Wire, asked: number): number => {
    const answered = performance.now()
    seen.looks.push({ id, status, version, asked, answered })
    return answered
  }

  const cancel = async (id: string): Promise<Wire | undefined> => {
    const asked = performance.now()
    const answer = await answered('DELETE', `/v1/tasks/${id}`)
    if (answer.status !== 200) {
      seen.unexpected.push(`cancel of ${id}: ${answer.status} ${answer.text}`)
      return undefined
    }
    const { outcome, task } = answer.body
    seen.cancellations.push({ id, outcome, status: task.status, answered: saw(task, asked) })
    return task
  }

  const look = async (id: string, signal?: AbortSignal): Promise<Wire | undefined> => {
    for (let looks = 0; ; looks++) {
      const asked = performance.now()
      const more = looks % 2 === 0 ? {} : { headers: { prefer: 'wait=1' } }
      const answer = await answered('GET', `/v1/tasks/${id}`, more, signal)
      if (answer.status !== 200) {
        seen.unexpected.push(`get of ${id}: ${answer.status} ${answer.text}`)
        return undefined
      }
      saw(answer.body, asked)
      if (answer.body.finished_at !== undefined || looks === 4) return answer.body
    }
  }

  const fulfil = async (request: TaskRequest, signal?: AbortSignal): Promise<Wire | undefined> => {
    const asked = performance.now()
    const { create, prefer, key } = request
    const headers = { ...(prefer !== undefined && { prefer }), ...(key !== undefined && { 'idempotency-key': key }) }
    const created = await call('POST', '/v1/tasks', { json: create, headers }, signal)
    if (!created) return undefined
    if (key !== undefined && created.status === 409) {
      // The try before is still being done, or was begun by a process that has died.
      await pause(200)
      return undefined
    }
    if (created.status !== 201) {
      seen.unexpected.push(`create: ${created.status} ${created.text}`)
      return undefined
    }
    const { id } = created.body
    const answered = saw(created.body, asked)
    seen.acknowledged.push({ id, answer: request.answer, ...(key !== undefined && { key }), answered })
    if (request.act === 'leave') return created.body
    if (request.pauseMs > 0) await pause(request.pauseMs)
    return request.act === 'cancel' ? await cancel(id) : await look(id, signal)
  }

  const client = async () => {
    for (let request = await options.next(); request; request = await options.next()) {
      const before = seen.unexpected.length
      // An unanswered create may exist or not; the client tries until it has one that it knows of.
      while (!(await fulfil(request)) && seen.unexpected.length === before);
    }
  }

  return {
    seen,
    fulfil,
    async run() {
      await Promise.all(Array.from({ length: options.clients }, client))
      agent.destroy()
      return seen
    },
  }
}
