/** What callers do on an ordinary day, and how often. Each is one request, whose end is known. */
import { randomUUID } from 'node:crypto'
import { readCatalogue } from '@millhand/employees/catalogue'
import { openEvents } from '@millhand/test-e2e/event-stream'
import { newKey } from '@millhand/test-e2e/keys'
import { digit } from '@millhand/test-e2e/tasks'
import type { Random } from '@millhand/test-faults/random'
import { httpRequest, type Request } from '../http-request.ts'
import type { Answered, ConnectionPool } from './connection-pool.ts'

export interface Operation {
  readonly name: string
  /** Of a thousand calls. */
  readonly share: number
  /** Whether it counts for the target of 100 ms: no wait, no stream, no file. */
  readonly isTimed: boolean
  /** What is done in its place while there is nothing yet that it could ask for. */
  readonly first?: { readonly operation: Operation; readonly isNeeded: (account: Account) => boolean }
  call(account: Account, by: Means): Promise<Called>
}

export interface Called {
  readonly status: number
  /** The answer, where it is another than the one that was expected. */
  readonly unexpected?: string
}

export interface Means {
  readonly pool: ConnectionPool
  readonly url: string
  readonly random: Random
}

/** One of those who call, and what it has. */
export interface Account {
  readonly key: string
  readonly tasks: string[]
  readonly files: string[]
  /** Creates that were sent with an idempotency key, as they were. */
  readonly keyed: string[]
}

export const accountOf = (key: string): Account => ({ key, tasks: [], files: [], keyed: [] })

const task = (which: number, more: object = {}) => JSON.stringify(digit(which, more))
const create: Request = { method: 'POST', path: '/v1/tasks' }
const idOf = ({ body }: Answered) => /"id":"([a-z]+_[0-9a-z]{26})"/.exec(body)?.[1]

const creates: Operation = {
  name: 'create',
  share: 300,
  isTimed: true,
  async call({ key, tasks }, by) {
    const answered = await by.pool.send(httpRequest({ ...create, key, body: task(by.random.between(0, 9)) }))
    remember(tasks, idOf(answered))
    return expected(answered, 201)
  },
}

const keyed: Operation = {
  name: 'create with an idempotency key',
  share: 50,
  isTimed: true,
  async call(account, by) {
    const headers = { 'Idempotency-Key': randomUUID() }
    const request = httpRequest({ ...create, key: account.key, headers, body: task(by.random.between(0, 9)) })
    const answered = await by.pool.send(request)
    if (answered.status === 201) remember(account.keyed, request)
    return expected(answered, 201)
  },
}

const uploads: Operation = {
  name: 'upload of a file',
  share: 15,
  isTimed: false,
  async call({ key, files }, by) {
    const headers = { 'Content-Type': 'text/plain' }
    const answered = await by.pool.send(httpRequest({ method: 'POST', path: '/v1/files', key, headers, body: FILE }))
    remember(files, idOf(answered))
    return expected(answered, 201)
  },
}

/** 8 KiB. */
const FILE = 'Seven lines of text\n.'.repeat(390).slice(0, 8_192)

/** A read that any account may make at any time. */
const reads = (name: string, share: number, path: string): Operation => ({
  name,
  share,
  isTimed: true,
  call: async ({ key }, { pool }) => expected(await pool.send(httpRequest({ method: 'GET', path, key })), 200),
})

/** A request that is wrong, and what it is answered with. */
const refused = (name: string, share: number, request: () => Request, status: number): Operation => ({
  name,
  share,
  isTimed: true,
  call: async ({ key }, { pool }) => expected(await pool.send(httpRequest({ key, ...request() })), status),
})

/** Kinds of work that rules do: four of milliseconds, and one of a sixth of a second. */
const kinds = ['sentiment_analysis', 'answer_ticket', 'seo_optimize', 'create_social_post', 'analyze_data']
const briefs = readCatalogue()
  .flatMap(employee => employee.kinds)
  .filter(({ id }) => kinds.includes(id))
  .map(({ employee, id, example }) => ({
    path: `/v1/workforce/${employee}/tasks`,
    body: JSON.stringify({ ...example, task: id, engine: 'rules' }),
  }))

/** The shares of all are a thousand together. */
export const operations: readonly Operation[] = [
  creates,
  keyed,
  {
    name: 'the same create again',
    share: 30,
    isTimed: true,
    first: { operation: keyed, isNeeded: account => account.keyed.length === 0 },
    async call(account, by) {
      const answered = await by.pool.send(oneOf(account.keyed, by))
      if (!/\r\nidempotent-replayed: true\r\n/i.test(answered.head))
        return { ...answered, unexpected: textOf(answered) }
      return expected(answered, 201)
    },
  },
  {
    name: 'create that waits',
    share: 50,
    isTimed: false,
    async call({ key, tasks }, by) {
      const body = task(by.random.between(0, 9))
      const answered = await by.pool.send(httpRequest({ ...create, key, wait: 30, body }))
      remember(tasks, idOf(answered))
      return expected(answered, 201)
    },
  },
  {
    name: 'get',
    share: 332,
    isTimed: true,
    first: { operation: creates, isNeeded: ({ tasks }) => tasks.length === 0 },
    async call({ key, tasks }, by) {
      const path = `/v1/tasks/${oneOf(tasks, by)}`
      return expected(await by.pool.send(httpRequest({ method: 'GET', path, key })), 200)
    },
  },
  reads('list', 80, '/v1/tasks?limit=20'),
  reads('list of models', 30, '/v1/models'),
  reads('events', 10, '/v1/events?limit=20'),
  reads('usage', 2, '/v1/usage'),
  uploads,
  {
    name: 'download of a file',
    share: 15,
    isTimed: false,
    first: { operation: uploads, isNeeded: ({ files }) => files.length === 0 },
    async call({ key, files }, by) {
      const path = `/v1/files/${oneOf(files, by)}/content`
      return expected(await by.pool.send(httpRequest({ method: 'GET', path, key })), 200)
    },
  },
  {
    name: 'stream',
    share: 10,
    isTimed: false,
    async call({ key }, { url, random }) {
      const headers = { authorization: `Bearer ${key}` }
      const json = digit(random.between(0, 9), { stream: true })
      using stream = await openEvents(`${url}/v1/tasks`, { method: 'POST', headers, json })
      if (stream.status !== 201) return { status: stream.status, unexpected: await stream.text() }
      let last: string | undefined
      for await (const { type } of stream) last = type
      return { status: 201, ...(last !== 'task.succeeded' && { unexpected: `a stream ended with ${last}` }) }
    },
  },
  {
    name: 'task of an employee',
    share: 1,
    isTimed: true,
    async call({ key }, by) {
      const answered = await by.pool.send(httpRequest({ method: 'POST', key, ...oneOf(briefs, by) }))
      return expected(answered, 201)
    },
  },
  refused('create that is not valid', 25, () => ({ ...create, body: '{"type":"inference"}' }), 400),
  refused('get of an unknown task', 25, () => ({ method: 'GET', path: `/v1/tasks/${UNKNOWN}` }), 404),
  refused('unknown key', 25, () => ({ method: 'GET', path: '/v1/tasks', key: stranger }), 401),
]

const UNKNOWN = 'task_01kaje5z1cf6tvnyxkkhbm3v8h'
const stranger = newKey('live')

function expected(answered: Answered, status: number): Called {
  if (answered.status === status) return { status }
  return { status: answered.status, unexpected: textOf(answered) }
}

const textOf = ({ head, body }: Answered) => `${head}\r\n${body.slice(0, 1_000)}`

function oneOf<T>(items: readonly T[], { random }: Means): T {
  return items[random.between(0, items.length - 1)] as T
}

/** So many are asked for again; older ones give way. */
const REMEMBERED = 1_000

function remember(items: string[], item: string | undefined): void {
  if (item === undefined) return
  items.push(item)
  if (items.length > 2 * REMEMBERED) items.splice(0, REMEMBERED)
}
