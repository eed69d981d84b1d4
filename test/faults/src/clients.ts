import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '@millhand/test-e2e/http'
import type { Acknowledged, Cancellation } from './history.ts'
import type { Random } from './random.ts'

export interface Digit {
  readonly digit: number
  readonly pixels: readonly number[]
}

export interface Seen {
  readonly acknowledged: Acknowledged[]
  readonly cancellations: Cancellation[]
  /** Requests to which no answer came, because the server was gone. */
  unanswered: number
  /** Answers that no client of a crashing server should get. */
  readonly unexpected: string[]
}

export interface ClientOptions {
  readonly url: string
  readonly key: string
  readonly clients: number
  readonly digits: readonly Digit[]
  readonly random: Random
  /** Resolves to false when there is no more to send; may wait, so that the work is spread over the crashes. */
  readonly another: () => Promise<boolean>
  /** The share of tasks that are cancelled right after their create, 0 to 1. */
  readonly cancelled: number
}

/** Clients that create tasks, one after the other each, and cancel some, until there is no more to send. */
export async function runClients(options: ClientOptions): Promise<Seen> {
  const { url, digits, random } = options
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients })
  const headers = { authorization: `Bearer ${options.key}` }
  const seen: Seen = { acknowledged: [], cancellations: [], unanswered: 0, unexpected: [] }

  /** Undefined when the server went away; then this waits a little, so that the next try finds it more likely. */
  const call = async (method: string, path: string, json?: unknown): Promise<Answer | undefined> => {
    try {
      return await send(method, url + path, { agent, headers, ...(json !== undefined && { json }) })
    } catch {
      seen.unanswered++
      await pause(100)
      return undefined
    }
  }

  const client = async () => {
    while (await options.another()) {
      const { digit, pixels } = digits[random.between(0, digits.length - 1)] as Digit
      const json = { type: 'inference', model: 'digits', input: JSON.stringify(pixels) }
      let created = await call('POST', '/v1/tasks', json)
      while (!created) created = await call('POST', '/v1/tasks', json)
      if (created.status !== 201) {
        seen.unexpected.push(`create: ${created.status} ${created.text}`)
        continue
      }
      const { id } = created.body
      seen.acknowledged.push({ id, answer: digit })
      if (random.next() >= options.cancelled) continue
      const answer = await call('DELETE', `/v1/tasks/${id}`)
      if (answer?.status === 200)
        seen.cancellations.push({ id, outcome: answer.body.outcome, status: answer.body.task.status })
      else if (answer) seen.unexpected.push(`cancel of ${id}: ${answer.status} ${answer.text}`)
    }
  }

  await Promise.all(Array.from({ length: options.clients }, client))
  agent.destroy()
  return seen
}
