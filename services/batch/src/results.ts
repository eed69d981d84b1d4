/** The files of a batch that has ended: what succeeded, and what did not. */

import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import type { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { BatchRecord, Status } from './batch.ts'
import { type BatchItems, type ItemState, stateAt } from './item-state.ts'
import { keptLines } from './kept-lines.ts'
import { onBehalfOf, principalOf, streamOnBehalfOf } from './on-behalf-of.ts'
import type { ItemTask, TaskCalls } from './task-calls.ts'

export interface ResultsDeps {
  readonly blobs: Blobs
  readonly calls: TaskCalls
  readonly taskFiles: Client<typeof TaskFileService>
  readonly signal: AbortSignal
}

/** Lines whose tasks are asked for at once. */
const PAGE = 200
/** Bytes of one message: half of what a reader of the tunnel lets its sender be ahead. */
const PART_BYTES = 65_536

/**
 * Writes the files and keeps them until then (ms since 1970); what was written by an earlier try stays. A file that would
 * be empty is none.
 */
export async function writeResults(
  deps: ResultsDeps,
  batch: BatchRecord,
  items: BatchItems,
  end: { readonly status: Status; readonly until: number },
): Promise<Pick<BatchRecord, 'output_file' | 'error_file'>> {
  const succeeded = batch.counts.succeeded
  const output_file =
    succeeded > 0 ? await writeFile(deps, batch, 'output.jsonl', outputLines(deps, batch, items), end.until) : undefined
  const error_file =
    succeeded < batch.total
      ? await writeFile(deps, batch, 'error.jsonl', errorLines(deps, batch, items, end.status), end.until)
      : undefined
  return { ...(output_file !== undefined && { output_file }), ...(error_file !== undefined && { error_file }) }
}

/** Compute knows it by the batch and its name: it is written once. */
async function writeFile(
  { taskFiles, signal }: ResultsDeps,
  batch: BatchRecord,
  filename: string,
  lines: AsyncIterable<string>,
  until: number,
): Promise<string> {
  const run = `${batch.id}/1`
  const caller = principalOf(batch)
  const { id } = await taskFiles.storeTaskFile(sent(run, filename, lines), streamOnBehalfOf(caller, signal))
  const kept = await taskFiles.keepTaskFile({ id, run, until: timestampFromMs(until) }, onBehalfOf(caller, signal))
  if (!kept.kept) throw new Error(`the file ${id} of ${batch.id} is gone`)
  return id
}

async function* sent(run: string, filename: string, lines: AsyncIterable<string>) {
  const value = { $typeName: 'millhand.compute.v1.TaskFile', run, filename, mediaType: 'application/jsonl' } as const
  yield { part: { case: 'file' as const, value } }
  let text = ''
  for await (const line of lines) {
    text += `${line}\n`
    if (text.length < PART_BYTES) continue
    yield* parts(text)
    text = ''
  }
  yield* parts(text)
}

function* parts(text: string) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    yield { part: { case: 'data' as const, value: bytes.subarray(at, at + PART_BYTES) } }
}

async function* outputLines(deps: ResultsDeps, batch: BatchRecord, items: BatchItems): AsyncGenerator<string, void> {
  for await (const { customId, task } of ended(deps, batch, items, state => state === 'succeeded', true)) {
    const { outputFile, output = 'null' } = task.found
    // The output is JSON text, and goes in as it is.
    const head = JSON.stringify({ custom_id: customId, index: task.index, task_id: task.id, output_file: outputFile })
    yield outputFile === undefined ? `${head.slice(0, -1)},"output":${output}}` : head
  }
}

async function* errorLines(
  deps: ResultsDeps,
  batch: BatchRecord,
  items: BatchItems,
  status: Status,
): AsyncGenerator<string, void> {
  for await (const { customId, task, state } of ended(deps, batch, items, state => state !== 'succeeded', false)) {
    const { found, index, id } = task
    const said = found.error && {
      code: found.error.code,
      message: found.error.message,
      retryable: found.error.retryable,
    }
    const error = said ?? items.refusals[index] ?? unrun(state, status)
    const task_id = task.state === undefined ? undefined : id
    yield JSON.stringify({ custom_id: customId, index, task_id, error })
  }
}

/** Why a task has no result of its own. */
function unrun(state: ItemState, status: Status): { code: string; message: string; retryable: boolean } {
  if (state === 'expired')
    return status === 'expired'
      ? {
          code: 'batch_expired',
          message: 'The completion window of the batch passed before it began.',
          retryable: true,
        }
      : { code: 'queue_timeout', message: 'Its queue timeout passed before it began.', retryable: true }
  if (state === 'cancelled')
    return status === 'cancelled'
      ? { code: 'batch_cancelled', message: 'The batch was cancelled before it had ended.', retryable: true }
      : { code: 'cancelled', message: 'The task was cancelled.', retryable: true }
  return { code: 'task_missing', message: 'The task was removed before its batch had ended.', retryable: true }
}

interface EndedItem {
  readonly customId: string | undefined
  readonly state: ItemState
  readonly task: ItemTask
}

/** The items in states that pass, in their order, with their tasks. */
async function* ended(
  { blobs, calls }: ResultsDeps,
  batch: BatchRecord,
  items: BatchItems,
  passes: (state: ItemState) => boolean,
  outputs: boolean,
): AsyncGenerator<EndedItem, void> {
  let page = new Map<number, { readonly customId: string | undefined; readonly state: ItemState }>()
  let index = -1
  async function* flush() {
    for await (const task of calls.get(batch, [...page.keys()], outputs))
      yield { ...(page.get(task.index) as { customId: string | undefined; state: ItemState }), task }
    page = new Map()
  }
  for await (const line of keptLines(blobs, batch)) {
    const state = stateAt(items, ++index)
    if (passes(state)) page.set(index, { customId: customIdOf(line.text), state })
    if (page.size === PAGE) yield* flush()
  }
  yield* flush()
}

const customIdOf = (text = ''): string | undefined => JSON.parse(text).custom_id ?? undefined
