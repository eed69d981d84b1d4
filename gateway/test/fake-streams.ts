/** WatchTask and stream tokens in memory, to see what the gateway makes of streams. */
import { create } from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import {
  type TaskEvent,
  TaskEventSchema,
  type WatchTaskRequest,
} from '@millhand/api/gen/millhand/compute/v1/task_stream_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'

type Told = Partial<Omit<TaskEvent, '$typeName' | '$unknown' | 'sequence'>> & { readonly type: string }

export class FakeStreams {
  readonly #events = new Map<string, TaskEvent[]>()
  readonly #changes = new EventTarget()
  /** What was asked for after which place, in the order of the calls. */
  readonly asked: (bigint | undefined)[] = []
  /** Calls that are open. */
  open = 0
  /** Events that readers have asked for. */
  sent = 0
  /** What every call fails with, where it is set. */
  failure: unknown
  /** What stream tokens are good for. */
  readonly tokens = new Map<string, string>()

  readonly implementation: Partial<ServiceImpl<typeof StreamTokenService>> = {
    redeemStreamToken: ({ token, taskId }) => {
      if (this.tokens.get(token) !== taskId) throw fail('invalid_credentials', 'The token is for another task.')
      return { accountId: 'acct_1', mode: Mode.LIVE, keyId: 'key_1' }
    },
  }

  /** Adds to the stream of a task; what ends a task ends its stream. */
  tell(id: string, ...events: readonly Told[]): void {
    const all = this.#events.get(id) ?? []
    for (const event of events) {
      all.push(create(TaskEventSchema, { ...event, taskId: id, sequence: BigInt(all.length + 1) * 10n }))
    }
    this.#events.set(id, all)
    this.#changes.dispatchEvent(new Event('change'))
  }

  /** Ends every open call with an error. */
  break(error: unknown): void {
    this.#changes.dispatchEvent(new CustomEvent('break', { detail: error }))
  }

  async *watch({ id, after }: WatchTaskRequest, { signal }: HandlerContext): AsyncGenerator<TaskEvent> {
    this.asked.push(after)
    if (this.failure !== undefined) throw this.failure
    this.open++
    try {
      let last = after ?? 0n
      for (;;) {
        const next = this.#events.get(id)?.find(({ sequence }) => sequence > last)
        if (next !== undefined) {
          last = next.sequence
          this.sent++
          yield next
        } else if (ends.has(this.#events.get(id)?.at(-1)?.type ?? '')) return
        else await this.#nextChange(signal)
      }
    } finally {
      this.open--
    }
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const over = new AbortController()
    const once = { once: true, signal: over.signal }
    this.#changes.addEventListener('change', () => resolve(), once)
    this.#changes.addEventListener('break', event => reject((event as CustomEvent).detail), once)
    signal.addEventListener('abort', () => reject(signal.reason), once)
    return promise.finally(() => over.abort())
  }
}

const ends = new Set(['task.succeeded', 'task.failed', 'task.cancelled', 'task.expired'])
