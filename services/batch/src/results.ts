/** The files of a batch that has ended: what succeeded, and what did not. */

import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { codeOf, type ProblemCode } from '@millhand/api'
import type { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { BatchRecord, Status } from './batch.ts'
import { kindOf } from './item.ts'
import type { ItemKind } from './item-kind.ts'
import { type BatchItems, type ItemState, type Refusal, refusalOf, stateAt } from './item-state.ts'
import { keptLines } from './kept-lines.ts'
import { onBehalfOf, principalOf, streamOnBehalfOf } from './on-behalf-of.ts'
import type { ItemRef, ItemTask, TaskCalls } from './task-calls.ts'

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
 * Bytes of outputs in `output_file`: what is left of the 512 MiB of a file is for the heads of 50,000 lines, each of less
 * than 600 bytes.
 */
const MOST_OUTPUT = 480 * 2 ** 20

/** What a batch shows of its results once it has ended. */
export type Results = Pick<BatchRecord, 'output_file' | 'error_file' | 'results_error'>

/**
 * Writes the files and keeps them until then (ms since 1970); what was written by an earlier try stays. A file that would
 * be empty is none. Where there is no room for outputs, their lines say so; where there is none for a file either, there
 * is no file. Both are final: the tasks have their outputs for as long as the batch is kept.
 */
export async function writeResults(
  deps: ResultsDeps,
  batch: BatchRecord,
  items: BatchItems,
  end: { readonly status: Status; readonly isLate: boolean; readonly until: number; readonly mostOutput?: number },
): Promise<Results> {
  const { status, isLate, until, mostOutput = MOST_OUTPUT } = end
  const { succeeded } = batch.counts
  const write = (name: string, attempt: number, lines: AsyncIterable<string>) =>
    refusable(() => writeFile(deps, batch, { run: `${batch.id}/${attempt}`, name, lines, until }))

  const errors =
    succeeded < batch.total ? await write('error.jsonl', 1, errorLines(deps, batch, items, { status, isLate })) : {}
  if (succeeded === 0) return resultsOf(undefined, errors.file, errors.refusal)
  const outputs = outputLines(deps, batch, items, mostOutput, 'output_too_large')
  let output = await write('output.jsonl', 1, outputs.lines())
  let refusal = errors.refusal ?? output.refusal ?? outputs.refusal()
  if (output.file === undefined) {
    output = await write(
      'output.jsonl',
      2,
      outputLines(deps, batch, items, 0, output.refusal?.code ?? noRoom.code).lines(),
    )
    refusal ??= output.refusal
  }
  return resultsOf(output.file, errors.file, refusal)
}

const resultsOf = (output_file?: string, error_file?: string, results_error?: Refusal): Results => ({
  ...(output_file !== undefined && { output_file }),
  ...(error_file !== undefined && { error_file }),
  ...(results_error !== undefined && { results_error }),
})

const tooLarge: Refusal = {
  code: 'output_too_large',
  message: 'The outputs are more than one file holds. The tasks of the lines with `output_omitted` have them.',
}
const deleted: Refusal = {
  code: 'data_deleted',
  message: 'The outputs of some tasks were deleted before the batch ended: their lines have `output_omitted`.',
}
const noRoom: Refusal = {
  code: 'storage_quota_exceeded',
  message: "The account's storage had no room for all results when the batch ended. The tasks have them.",
}

/** What trying again does not change. */
const refusals: Partial<Record<ProblemCode, Refusal>> = { payload_too_large: tooLarge, storage_quota_exceeded: noRoom }

async function refusable(
  write: () => Promise<string>,
): Promise<{ readonly file?: string; readonly refusal?: Refusal }> {
  try {
    return { file: await write() }
  } catch (error) {
    const refusal = refusals[codeOf(error)]
    if (refusal === undefined) throw error
    return { refusal }
  }
}

/** A file of a batch. */
interface ResultFile {
  /** Compute knows the file by its run and its name: it is written once. */
  readonly run: string
  readonly name: string
  readonly lines: AsyncIterable<string>
  readonly until: number
}

async function writeFile(
  { taskFiles, signal }: ResultsDeps,
  batch: BatchRecord,
  { run, name, lines, until }: ResultFile,
): Promise<string> {
  const caller = principalOf(batch)
  const { id } = await taskFiles.storeTaskFile(sent(run, name, lines), streamOnBehalfOf(caller, signal))
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

/**
 * Lines with at most so many bytes of outputs: those that come after say that theirs is left out, for `reason`. So do
 * those whose output is not there any more.
 */
function outputLines(deps: ResultsDeps, batch: BatchRecord, items: BatchItems, mostOutput: number, reason: string) {
  const omitted = new Set<string>()
  async function* lines(): AsyncGenerator<string, void> {
    let room = mostOutput
    // What has no room is not asked for.
    const hasRoom = () => room > 0
    for await (const { customId, task, withOutput } of ended(deps, batch, items, isSucceeded, hasRoom)) {
      const { outputFile, output } = task.found
      const head = { custom_id: customId, index: task.index, task_id: task.id, output_file: outputFile }
      if (output !== undefined) room -= Buffer.byteLength(output)
      if (outputFile !== undefined) yield JSON.stringify(head)
      // The output is JSON text, and goes in as it is.
      else if (output !== undefined && room >= 0) yield `${JSON.stringify(head).slice(0, -1)},"output":${output}}`
      else {
        const why = output === undefined && withOutput ? deleted.code : reason
        omitted.add(why)
        yield JSON.stringify({ ...head, output_omitted: true, reason: why })
      }
    }
  }
  return {
    lines,
    /** Once the lines were read. */
    refusal: () => (omitted.has(reason) ? tooLarge : omitted.size > 0 ? deleted : undefined),
  }
}

const isSucceeded = (state: ItemState) => state === 'succeeded'

async function* errorLines(
  deps: ResultsDeps,
  batch: BatchRecord,
  items: BatchItems,
  end: { readonly status: Status; readonly isLate: boolean },
): AsyncGenerator<string, void> {
  const failed = ended(
    deps,
    batch,
    items,
    state => !isSucceeded(state),
    () => false,
  )
  for await (const { customId, isWindowed, task, state } of failed) {
    const { found, index, id } = task
    const said = found.error && {
      code: found.error.code,
      message: found.error.message,
      retryable: found.error.retryable,
    }
    const error = said ?? refusalOf(items, index) ?? unrun(state, end.status, end.isLate && isWindowed)
    const task_id = task.state === undefined ? undefined : id
    yield JSON.stringify({ custom_id: customId, index, task_id, error })
  }
}

/** Why a task has no result of its own. `isCut`, the completion window kept it from beginning. */
function unrun(
  state: ItemState,
  status: Status,
  isCut: boolean,
): { code: string; message: string; retryable: boolean } {
  if (state === 'expired')
    return isCut
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
  /** Whether its own queue timeout is no shorter than the completion window. */
  readonly isWindowed: boolean
  /** Whether its output was asked for. */
  readonly withOutput: boolean
  readonly task: ItemTask
}

/** The items in states that pass, in their order, with their tasks. */
async function* ended(
  { blobs, calls }: ResultsDeps,
  batch: BatchRecord,
  items: BatchItems,
  passes: (state: ItemState) => boolean,
  outputs: () => boolean,
): AsyncGenerator<EndedItem, void> {
  let page = new Map<number, Omit<EndedItem, 'task' | 'withOutput'> & ItemRef>()
  let index = -1
  async function* flush() {
    const withOutput = outputs()
    for await (const task of calls.get(batch, [...page.values()], withOutput))
      yield { ...(page.get(task.index) as Omit<EndedItem, 'task' | 'withOutput'>), withOutput, task }
    page = new Map()
  }
  for await (const line of keptLines(blobs, batch)) {
    const state = stateAt(items, ++index)
    if (passes(state)) page.set(index, { ...headOf(batch, line.text), index, state })
    if (page.size === PAGE) yield* flush()
  }
  yield* flush()
}

interface LineHead {
  readonly customId: string | undefined
  readonly kind: ItemKind
  readonly isWindowed: boolean
}

function headOf({ completion_window_s }: Pick<BatchRecord, 'completion_window_s'>, text = ''): LineHead {
  const { custom_id, ...rest } = JSON.parse(text)
  const isWindowed = !((rest.queue_timeout_s ?? Number.POSITIVE_INFINITY) < completion_window_s)
  return { customId: custom_id ?? undefined, kind: kindOf(rest), isWindowed }
}

/** Whether the completion window kept a task from beginning that has no shorter queue timeout of its own. */
export async function isCutByWindow(blobs: Blobs, batch: BatchRecord, items: BatchItems): Promise<boolean> {
  let index = 0
  for await (const { text } of keptLines(blobs, batch))
    if (stateAt(items, index++) === 'expired' && headOf(batch, text).isWindowed) return true
  return false
}
