/** Services with just enough in them to see what the gateway makes of requests and answers. */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient, type HandlerContext } from '@connectrpc/connect'
import { createApiKey, fail, hashOfKey } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import {
  CancelOutcome,
  type CreateTaskRequest,
  type ListTasksRequest,
  type Task,
  TaskSchema,
  TaskStatus,
} from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import {
  type ApiKey,
  ApiKeySchema,
  IdentityService,
} from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { createDirectTransport, principalKey, requestIdKey } from '@millhand/rpc'
import { FakeFiles } from './fake-files.ts'

export const now = Date.UTC(2026, 10, 21, 7, 30, 0, 123)

export class FakeServices {
  readonly transport = createDirectTransport()
  readonly identity = createClient(IdentityService, this.transport)
  /** What `AuthenticateKey` knows, by digest in hexadecimal. */
  readonly keys = new Map<string, ApiKey>()
  readonly tasks = new Map<string, Task>()
  readonly files = new FakeFiles()
  readonly created: CreateTaskRequest[] = []
  readonly listed: ListTasksRequest[] = []
  /** The contexts of all calls to compute. */
  readonly calls: { principal: string | undefined; requestId: string | undefined; timeoutMs: number | undefined }[] = []
  authentications = 0
  identityIsAway = false
  /** What identity waits for before it answers. */
  identityGate: Promise<void> | undefined
  /** What every call to compute fails with, where it is set. */
  failure: unknown
  #changes = new EventTarget()

  constructor() {
    this.transport.service(IdentityService, {
      authenticateKey: async ({ keySha256 }) => {
        this.authentications++
        await this.identityGate
        if (this.identityIsAway) throw new ConnectError('no route to host 10.1.2.3', Code.Unavailable)
        const key = this.keys.get(Buffer.from(keySha256).toString('hex'))
        return key ? { key } : {}
      },
    })
    this.transport.service(FileService, this.files.implementation)
    this.transport.service(ComputeService, {
      createTask: (request, call) => {
        this.#called(call)
        this.created.push(request)
        const id = `task_${String(this.tasks.size + 1).padStart(26, '0')}`
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
      listTasks: (request, call) => {
        this.#called(call)
        this.listed.push(request)
        return { data: [...this.tasks.values()], hasMore: false }
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

  /** A new key with these scopes; `more` is what identity says of it besides. */
  key(scopes: string[], more: MessageInitShape<typeof ApiKeySchema> = {}): string {
    const { $typeName: _, ...fields } = more
    const key = createApiKey('live')
    const digest = Buffer.from(hashOfKey(key)).toString('hex')
    this.keys.set(
      digest,
      create(ApiKeySchema, { id: 'key_1', accountId: 'acct_1', mode: Mode.LIVE, scopes, ...fields }),
    )
    return key
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
