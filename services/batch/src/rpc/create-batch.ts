import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client, HandlerContext } from '@connectrpc/connect'
import { codeOf, fail, type Id, idTime } from '@millhand/api'
import type { Batch, CreateBatchRequest } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { KeyedMutex } from '@millhand/process'
import { idOf, operationKey, type Principal, principal, requestIdKey, traceKey } from '@millhand/rpc'
import { settlesAfterMs } from '@millhand/store'
import { traceparentOf } from '@millhand/telemetry'
import { acceptLines, MOST_LINE_BYTES, type SentLine } from '../acceptance.ts'
import type { Reservation } from '../active-limits.ts'
import type { BatchRecord } from '../batch.ts'
import type { BatchDeps } from '../batch-deps.ts'
import { batchMessage } from '../batch-message.ts'
import { insertBatch } from '../batch-store.ts'
import { countsOf, newItems } from '../item-state.ts'
import { linesOf } from '../lines.ts'
import { onBehalfOf, streamOnBehalfOf, unlessUnimplemented } from '../on-behalf-of.ts'

const WINDOW_S = 86_400

/** Of a request, and of a file. */
const MOST_TASKS = 1_000
const MOST_LINES = 50_000

/** Files of one tenant that are read at once. */
const FILES_AT_ONCE = 2

/**
 * Creates a batch: its lines are checked and kept, then one write makes it. Before that write there is nothing; from then
 * on every task of it will be made. A second call of the same operation answers with what the first has made.
 */
export const createBatch = (deps: BatchDeps) => {
  const fileTurns = new KeyedMutex()
  let turn = 0
  return async (req: CreateBatchRequest, call: HandlerContext): Promise<Batch> => {
    const { batches, ids, limits } = deps
    const { tenant } = principal(call)
    const id = idOf('batch', call, ids)
    const before = call.values.get(operationKey) === undefined ? undefined : await batches.get(tenant, id)
    if (before) return batchMessage(before)
    const reservation = await limits.begin(tenant)
    const acceptOrRelease = async () => {
      const attempt = crypto.randomUUID()
      try {
        return await accept(deps, req, call, { id, attempt, reservation })
      } finally {
        // Where this fails they are held until the attempt, or the window of the batch, would have ended.
        await releaseUnused(deps, principal(call), { id, attempt }).catch(() => {})
      }
    }
    try {
      if (req.inputFile === undefined) return await acceptOrRelease()
      // A file of many lines costs more than its request weighs: of one tenant few are read at once.
      turn = (turn + 1) % FILES_AT_ONCE
      return await fileTurns.runExclusive(`${tenant}/${turn}`, async () => {
        call.signal.throwIfAborted()
        return await acceptOrRelease()
      })
    } finally {
      reservation.end()
    }
  }
}

/** What an attempt holds that did not make the batch: another one may make it, or have made it. */
async function releaseUnused({ batches, tasks }: BatchDeps, caller: Principal, { id, attempt }: Attempt) {
  const made = await batches.get(caller.tenant, id)
  if (made?.lines === linesKey(caller.tenant, id, attempt)) return
  await tasks.compute.releaseInputs({ batchId: id, attempt }, onBehalfOf(caller, AbortSignal.timeout(RELEASE_MS)))
}

/** One try to create a batch. A retry is another one of the same id. */
interface Attempt {
  readonly id: Id<'batch'>
  readonly attempt: string
}

const RELEASE_MS = 10_000
/** How long what an attempt names is held where it makes no batch: longer than a call may take. */
const ACCEPT_MS = 3_600_000

async function accept(
  deps: BatchDeps,
  req: CreateBatchRequest,
  call: HandlerContext,
  { id, attempt, reservation }: Attempt & { readonly reservation: Reservation },
): Promise<Batch> {
  const { batches, blobs, wake } = deps
  const caller = principal(call)
  const { tenant } = caller
  const lines = linesKey(tenant, id, attempt)
  const { inputFile } = req
  const [param, most, sent] =
    inputFile === undefined
      ? (['tasks', MOST_TASKS, sentTasks(req.tasks)] as const)
      : (['input_file', MOST_LINES, fileLines(deps.files, inputFile, call)] as const)
  const { signal } = call
  const trace = call.values.get(traceKey)
  const completion_window_s = req.completionWindowS ?? WINDOW_S
  const accepted = await acceptLines(deps, sent, {
    ...{ caller, most, param, key: lines, signal, trace },
    batch: { id, attempt, holdUntil: deps.clock.now() + ACCEPT_MS },
    onBytes: reservation.add,
  })
  const { total, bytes, withEmployees, withInputs } = accepted

  const created_at = idTime(id)
  const now = deps.clock.now()
  // A retry keeps the id of the first try: its window begins now.
  const accepted_at = Math.abs(now - created_at) <= settlesAfterMs ? created_at : now
  const batch: BatchRecord = {
    ...{ id, tenant, version: 1, account_id: caller.accountId, mode: caller.mode },
    status: 'running',
    plans: caller.plans,
    total,
    with_employees: withEmployees,
    counts: countsOf(newItems(tenant, id, total)),
    lines,
    lines_bytes: bytes,
    ...(inputFile !== undefined && { input_file: inputFile }),
    completion_window_s,
    metadata: req.metadata,
    created_at,
    accepted_at,
    expires_at: accepted_at + completion_window_s * 1000,
    resource_version: 1,
    unseen: 'yes',
    request_id: call.values.get(requestIdKey),
    ...(trace && { traceparent: traceparentOf(trace) }),
  }
  if (withInputs) {
    const until = timestampFromMs(batch.expires_at + ACCEPT_MS)
    const asked = { batchId: id, attempt, until }
    await unlessUnimplemented(deps.tasks.compute.holdInputs(asked, onBehalfOf(caller, signal, { trace })))
  }
  const isNew = await reservation
    .commit(() => insertBatch(deps, batch))
    .catch(async error => {
      if (codeOf(error) === 'queue_full') await blobs.delete(lines)
      throw error
    })
  if (isNew) {
    wake()
    return batchMessage(batch)
  }
  await blobs.delete(lines)
  const made = await batches.get(tenant, id)
  if (made === undefined) throw new Error(`the id ${id} is taken by nothing`)
  return batchMessage(made)
}

/** What the names of blobs begin with that are the lines of batches, and no others. */
export const LINES_AT = 'batches/'

const linesKey = (tenant: string, id: Id, nonce: string): string => `${LINES_AT}${tenant}/${id}/${nonce}`

function* sentTasks(tasks: readonly string[]): Generator<SentLine, void> {
  for (const [index, text] of tasks.entries()) yield { text, path: `tasks[${index}]` }
}

/** The lines of a file of the account. A line is named by its number, as editors do: from 1. */
async function* fileLines(
  files: Client<typeof FileService>,
  id: string,
  call: HandlerContext,
): AsyncGenerator<SentLine, void> {
  const content = contentOf(files, id, call)
  let tooLong: number | undefined
  for await (const { text, number } of linesOf(content, MOST_LINE_BYTES, number => (tooLong = number)))
    yield { text, path: `lines[${number}]` }
  if (tooLong !== undefined) yield { text: undefined, path: `lines[${tooLong}]`, isTooLong: true }
}

async function* contentOf(files: Client<typeof FileService>, id: string, call: HandlerContext) {
  try {
    const parts = files.getFileContent(
      { id },
      streamOnBehalfOf(principal(call), call.signal, { trace: call.values.get(traceKey) }),
    )
    for await (const { part } of parts) if (part.case === 'data') yield part.value
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error
    throw fail('invalid_parameter', `There is no file \`${id}\`.`, { param: 'input_file' })
  }
}
