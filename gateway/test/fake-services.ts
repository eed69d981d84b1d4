/** Services with just enough in them to see what the gateway makes of requests and answers. */
import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createClient, type HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { type Task, TaskSchema, TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import {
  CancelOutcome,
  type CreateTaskRequest,
  type ListTasksRequest,
} from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { createDirectTransport, operationKey, principalKey, requestIdKey } from '@millhand/rpc'
import { FakeFiles } from './fake-files.ts'
import { FakeIdempotency } from './fake-idempotency.ts'
import { FakeIdentity, type Told } from './fake-identity.ts'
import { FakeStreams } from './fake-streams.ts'

export const now = Date.UTC(2026, 10, 21, 7, 30, 0, 123)

export class FakeServices {
  readonly transport = createDirectTransport()
  readonly identity = createClient(IdentityService, this.transport)
  readonly keys = new FakeIdentity()
  readonly tasks = new Map<string, Task>()
  readonly files = new FakeFiles()
  readonly idempotency = new FakeIdempotency()
  readonly streams = new FakeStreams()
  readonly created: CreateTaskRequest[] = []
  readonly listed: ListTasksRequest[] = []
  /** The contexts of all calls to compute. */
  readonly calls: { principal: string | undefined; requestId: string | undefined; timeoutMs: number | undefined }[] = []
  /** What a create waits for before it makes anything. */
  createGate: Promise<void> | undefined
  /** What every call to compute fails with, where it is set. */
  failure: unknown
  #changes = new EventTarget()

  constructor() {
    this.transport.service(IdentityService, this.keys.implementation)
    this.transport.service(IdempotencyService, this.idempotency.implementation)
    this.transport.service(FileService, this.files.implementation)
    this.transport.service(StreamTokenService, this.streams.implementation)
    this.transport.service(ComputeService, {
      createTask: async (request, call) => {
        this.#called(call)
        await this.createGate
        const operation = call.values.get(operationKey)
        const made = this.tasks.get(`task_${operation}`)
        if (made !== undefined) return made
        this.created.push(request)
        const id = `task_${operation ?? String(this.tasks.size + 1).padStart(26, '0')}`
        return this.put({ id, model: request.model, input: request.input, metadata: request.metadata })
      },
      getTask: ({ id }, call) => {
        this.#called(call)
        return this.#found(id)
      },
      cancelTask: ({ id }, call) => {
        this.#called(call)
        return { id, outcome: CancelOutcome.CANCELLED, task: this.#found(id) }
      },
      deleteTaskData: ({ id }, call) => {
        this.#called(call)
        const { input: _, output: __, ...rest } = this.#found(id)
        this.tasks.delete(id)
        return this.put(rest)
      },
      listTasks: (request, call) => {
        this.#called(call)
        this.listed.push(request)
        return { data: [...this.tasks.values()], hasMore: false }
      },
      createStreamToken: () => ({ token: crypto.randomUUID() }),
      watchTask: (request, call) => {
        this.#called(call)
        return this.streams.watch(request, call)
      },
      waitTask: async ({ id, timeoutMs, afterVersion }, call) => {
        this.#called(call)
        const isOver = () => {
          const task = this.#found(id)
          return task.finishedAt !== undefined || (afterVersion !== undefined && task.resourceVersion > afterVersion)
        }
        while (!isOver() && timeoutMs > 0) {
          this.waits++
          if (this.waitsAreOver) break
          this.openWaits++
          await this.#nextChange(call.signal).finally(() => this.openWaits--)
          if (this.refusesWaits) throw fail('unavailable', 'The server is stopping.')
        }
        return this.#found(id)
      },
    })
  }

  /** How often a call has begun to wait, and how many wait now. */
  waits = 0
  openWaits = 0
  /** Whether time passes so fast that every wait is over at once. */
  waitsAreOver = false
  /** Whether who waits is sent away at the next change. */
  refusesWaits = false

  /** A new key with these scopes. */
  key(scopes: readonly string[], told?: Told): string {
    return this.keys.key(scopes, told)
  }

  put(task: Partial<Omit<Task, '$typeName' | '$unknown'>> & { id: string }): Task {
    const before = this.tasks.get(task.id)
    const fresh = create(TaskSchema, { status: TaskStatus.QUEUED, createdAt: timestampFromMs(now) })
    const whole = { ...fresh, ...before, ...task, resourceVersion: (before?.resourceVersion ?? 0) + 1 }
    this.tasks.set(task.id, whole)
    this.#changes.dispatchEvent(new Event('change'))
    return whole
  }

  finish(id: string): Task {
    return this.put({ id, status: TaskStatus.SUCCEEDED, output: '"done"', finishedAt: timestampFromMs(now) })
  }

  #called(call: HandlerContext) {
    this.calls.push({
      principal: call.values.get(principalKey)?.tenant,
      requestId: call.values.get(requestIdKey),
      timeoutMs: call.timeoutMs(),
    })
    if (this.failure !== undefined) throw this.failure
  }

  #found(id: string): Task {
    const task = this.tasks.get(id)
    if (!task) throw fail('not_found', `There is no task ${id}.`)
    return task
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#changes.addEventListener('change', () => resolve(), { once: true })
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
}
