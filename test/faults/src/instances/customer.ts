/** One who creates, scales and deletes instances, and repeats what got no answer. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Wire } from '@millhand/test-e2e/http'
import type { Server } from '@millhand/test-e2e/server'
import type { Random } from '../random.ts'

export interface Customer {
  /** What was asked for last of each instance: replicas, or its end. */
  readonly asked: ReadonlyMap<string, number | 'end'>
  /** One random operation. Resolves once it was accepted. */
  operate(): Promise<void>
  /** All instances with their replicas, as the service says. */
  list(): Promise<readonly Wire[]>
  /** Asks for the end of all. */
  endAll(): Promise<void>
  /** What happened to an instance, in lines, for a failure. `began` is when the storm began. */
  history(id: string, began: number): Promise<readonly string[]>
  /** What was metered, by the name of the container, in milliseconds. */
  metered(): Promise<ReadonlyMap<string, number>>
}

export interface CustomerOptions {
  readonly server: Server
  readonly random: Random
  readonly instances: number
  readonly mostReplicas: number
  readonly image: string
}

/** How long an operation may go without an answer while the service is killed again and again. */
const GIVE_UP_MS = 120_000

export function createCustomer({ server, random, instances, mostReplicas, image }: CustomerOptions): Customer {
  const asked = new Map<string, number | 'end'>()
  let operations = 0

  async function ask(method: string, path: string, json?: unknown): Promise<Answer> {
    const headers = method === 'POST' ? { 'idempotency-key': `storm-${++operations}` } : {}
    for (const giveUp = performance.now() + GIVE_UP_MS; ; await pause(100)) {
      const options = { headers, ...(json !== undefined && { json }) }
      const answer = await server.request(method, path, options).catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return answer
      // 409: the first try of an operation may still be under way.
      if (answer !== undefined && answer.status < 500 && ![409, 429].includes(answer.status))
        throw new Error(`${method} ${path}: ${answer.text}`)
      if (performance.now() >= giveUp) throw new Error(`${method} ${path}: ${answer?.text ?? 'no answer'}`)
    }
  }

  async function create(): Promise<void> {
    const replicas = random.between(0, mostReplicas)
    const { body } = await ask('POST', '/v1/instances', { gpu: 'cpu', image, replicas })
    asked.set(body.id, replicas)
  }

  const live = () => [...asked].filter(([, replicas]) => replicas !== 'end').map(([id]) => id)

  async function end(id: string): Promise<void> {
    asked.set(id, 'end')
    await ask('DELETE', `/v1/instances/${id}`)
  }

  async function pages(path: string): Promise<Wire[]> {
    const all: Wire[] = []
    for (let cursor = ''; ; ) {
      const { body } = await ask('GET', `${path}&limit=100${cursor}`)
      all.push(...body.data)
      if (!body.has_more) return all
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }

  return {
    asked,
    async operate() {
      const ids = live()
      if (ids.length < instances) return await create()
      const id = ids[random.between(0, ids.length - 1)] as string
      if (random.next() < 0.15) return await end(id)
      const replicas = random.between(0, mostReplicas)
      await ask('POST', `/v1/instances/${id}/scale`, { replicas })
      asked.set(id, replicas)
    },
    async list() {
      // Of one answer each: what is said at once is said at one time.
      const { status, body } = await server.request('GET', '/v1/instances?limit=100')
      if (status !== 200) throw new Error(`GET /v1/instances: ${status}`)
      return body.data
    },
    async endAll() {
      for (const id of live()) await end(id)
    },
    async history(id, began) {
      const { body } = await ask('GET', `/v1/instances/${id}/events`)
      return body.data.toReversed().map(({ created_at, type, replica = '', reason = '', exit_code = '' }: Wire) => {
        const at = (Date.parse(created_at) - began) / 1_000
        return `${id} ${at.toFixed(2)} s: ${type} ${replica} ${reason} ${exit_code}`
      })
    },
    async metered() {
      const sums = new Map<string, number>()
      for (const { data } of await pages('/v1/events?type=instance.metered')) {
        const { instance_id, replica, generation, run_ms } = data.object
        const name = `${instance_id.replace('_', '-')}-${replica}-${generation}`
        sums.set(name, (sums.get(name) ?? 0) + run_ms)
      }
      return sums
    },
  }
}
