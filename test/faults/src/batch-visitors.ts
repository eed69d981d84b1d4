/** Clients that create batches, send each create again with its key, cancel some, and write down what they were told. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type RequestOptions, send, type Wire } from '@millhand/test-e2e/http'
import type { BatchEnd, CreatedBatch } from './batch-checks.ts'
import type { Random } from './random.ts'
import { digitRequest } from './task-requests.ts'

export interface BatchVisitorOptions {
  /** Where the gateways are now; the visitors take turns. */
  readonly urls: () => readonly string[]
  readonly key: string
  readonly visitors: number
  readonly random: Random
  /** No more are begun once it is aborted. */
  readonly over: AbortSignal
  /** Called when the create of a batch is answered: its tasks are being made then. */
  readonly onCreated?: () => void
}

export interface BatchVisitors {
  /** Answers that no visitor should get, whatever has died. */
  readonly unexpected: readonly string[]
  /** Resolves when it is over and each batch that was begun is answered. */
  run(): Promise<CreatedBatch[]>
  /** Each batch at its end. Rejects with one that has not ended after `limitMs`. */
  ends(batches: readonly CreatedBatch[], limitMs: number): Promise<BatchEnd[]>
  /** The ids of all batches there are. */
  list(): Promise<string[]>
}

/** A request without an answer for so long is sent again. */
const PATIENCE_MS = 20_000
const BETWEEN_MS = 1_500
const CANCELLED = 0.25
/**
 * Answers after which the same is sent again: no service could answer, another sender of the same key is first, or the
 * account has as many batches as it may have, because a slow machine ends them later than others are begun.
 */
const AGAIN = [409, 429, 503, 504]

export function createBatchVisitors(options: BatchVisitorOptions): BatchVisitors {
  const { urls, random, over } = options
  const unexpected: string[] = []
  let turn = 0

  /** Sends a request until it is answered; a POST has a key, so that it is done once. */
  async function answered(method: string, path: string, { headers, ...more }: RequestOptions = {}): Promise<Answer> {
    for (;;) {
      const url = urls()[turn++ % urls().length] as string
      const answer = await send(method, url + path, {
        ...more,
        headers: { authorization: `Bearer ${options.key}`, ...headers },
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => undefined)
      if (answer && !AGAIN.includes(answer.status)) return answer
      await pause(200)
    }
  }

  const post = async (path: string, more: RequestOptions): Promise<Answer> => {
    const key = { 'idempotency-key': crypto.randomUUID(), ...more.headers }
    const answer = await answered('POST', path, { ...more, headers: key })
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  const get = async (path: string): Promise<Answer> => {
    const answer = await answered('GET', path)
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  async function create(): Promise<CreatedBatch> {
    const key = crypto.randomUUID()
    const requests = Array.from({ length: random.between(20, 60) }, () => digitRequest(random))
    const customIds = requests.map((_, index) => `${key.slice(0, 8)} ${index}`)
    const tasks = requests.map(({ create }, index) => ({ ...create, custom_id: customIds[index], max_attempts: 10 }))
    const isFile = random.next() < 0.5
    const raw = Buffer.from(tasks.map(task => JSON.stringify(task)).join('\n'))
    const file = isFile && (await post('/v1/files', { raw, headers: { 'content-type': 'application/jsonl' } }))
    const json = file ? { input_file: file.body.id } : { tasks }
    const send = async (): Promise<string> =>
      (await post('/v1/batches', { json, headers: { 'idempotency-key': key } })).body.id
    const id = await send()
    options.onCreated?.()
    if (random.next() < 0.5) await pause(random.between(0, 2_000))
    const cancelled = random.next() < CANCELLED ? await cancel(id) : undefined
    return { id, customIds, digits: requests.map(({ answer }) => answer), replayed: await send(), cancelled }
  }

  /** The outcome of a cancel. */
  async function cancel(id: string): Promise<CreatedBatch['cancelled']> {
    const answer = await answered('DELETE', `/v1/batches/${id}`)
    if (answer.status !== 200) throw new Error(`DELETE ${id}: ${answer.status} ${answer.text}`)
    return answer.body.outcome
  }

  async function visitor(): Promise<CreatedBatch[]> {
    const created: CreatedBatch[] = []
    while (!over.aborted) {
      await create().then(
        batch => created.push(batch),
        (error: Error) => unexpected.push(error.message),
      )
      await pause(random.between(0, BETWEEN_MS), undefined, { signal: over }).catch(() => {})
    }
    return created
  }

  async function* pagesOf(path: string): AsyncGenerator<Wire> {
    for (let cursor = ''; ; ) {
      const { body } = await get(`${path}limit=100${cursor}`)
      yield* body.data
      if (!body.has_more) return
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }

  async function linesOf(file: string | undefined): Promise<Wire[]> {
    if (file === undefined) return []
    const { text } = await get(`/v1/files/${file}/content`)
    return text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  }

  return {
    unexpected,
    run: async () => (await Promise.all(Array.from({ length: options.visitors }, visitor))).flat(),

    async ends(batches, limitMs) {
      const deadline = performance.now() + limitMs
      const ends: BatchEnd[] = []
      for (const { id } of batches) {
        for (;;) {
          const { body: batch, text } = await get(`/v1/batches/${id}`)
          if (batch.finished_at !== undefined) {
            const [done, failed] = [await linesOf(batch.output_file), await linesOf(batch.error_file)]
            const tasks = await Array.fromAsync(pagesOf(`/v1/tasks?batch_id=${id}&`))
            ends.push({ batch, done, failed, tasks })
            break
          }
          if (performance.now() > deadline) throw new Error(`after ${limitMs} ms a batch has not ended: ${text}`)
          await pause(200)
        }
      }
      return ends
    },

    list: async () => (await Array.fromAsync(pagesOf('/v1/batches?'))).map(({ id }) => id),
  }
}
