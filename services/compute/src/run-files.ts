/** Files that a task's runs read and make, in compute's own store. docs/decisions/files.md, "In tasks" and "An output file". */
import { fail } from '@millhand/api'
import { STORED_AS, tensorFormatOf } from '@millhand/model'
import type { RunFiles } from '@millhand/task'
import { MOST_MODEL_BYTES } from '@millhand/training'
import { runOf } from './files/file.ts'
import type { Files } from './files/files.ts'
import { messageChunks } from './files/message-chunks.ts'
import type { TaskModels } from './models/task-models.ts'
import type { TaskRecord } from './task.ts'
import type { Checkpoints } from './training/checkpoints.ts'
import type { Parents } from './training/parents.ts'
import { modelFileOf, type TrainedModels } from './training/trained-models.ts'

const MIB = 2 ** 20

/** Executors hold to the same bound: docs/decisions/files.md, "In tasks". */
const MOST_BYTES = 64 * MIB

/** How long an output stays that no result names. */
const UNNAMED_S = 3_600

export const runFiles = (
  files: Files,
  models: Pick<TaskModels, 'read'>,
  parents: Pick<Parents, 'read'>,
  checkpoints: Pick<Checkpoints, 'read' | 'store'>,
  trained: TrainedModels,
): RunFiles<TaskRecord> => ({
  async *readModel(task) {
    const content = await models.read(task)
    if (content === undefined) throw fail('not_found', 'The model is not there any more.')
    yield* messageChunks(content)
  },

  /** Beside its input a run has its checkpoint alone. */
  async *read(task, index) {
    if (index !== undefined) {
      yield* messageChunks(await checkpoints.read(task))
      return
    }
    const { tenant, input_file } = task
    const file = input_file === undefined ? undefined : await files.getUsed(tenant, input_file)
    const content = file && (await files.read(file))
    if (content === undefined) throw fail('not_found', 'The file that is the input is not there any more.')
    yield* messageChunks(content)
  },

  /** Where an output is sent again, because the answer was lost, the file is there already. */
  async store(task, { artifact, data }, { signal }) {
    const { id, tenant, attempt, type } = task
    if (type === 'training' && artifact?.name === CHECKPOINT) {
      await checkpoints.store(task, data, signal)
      return ''
    }
    const isModel = type === 'training' && artifact !== undefined
    const output_of = isModel ? modelFileOf(id, attempt) : runOf(id, attempt)
    const earlier = await files.outputOf(tenant, output_of)
    if (earlier !== undefined) {
      for await (const _ of bounded(data, isModel ? MOST_MODEL_BYTES : MOST_BYTES)) {
        // Taken all the same: it may be all that its sender can do.
      }
      return earlier.id
    }
    if (isModel) {
      const description = {
        purpose: 'output',
        filename: `${id}.onnx`,
        media_type: 'application/octet-stream',
        expires_after_s: UNNAMED_S,
        metadata: {},
        output_of,
      } as const
      const bytes = task.mode === 'test' ? parentInstead(parents, task, data) : bounded(data, MOST_MODEL_BYTES)
      return (await files.upload({ tenant, description, bytes, signal })).id
    }
    const { head, whole } = await beginningOf(bounded(data))
    const { extension, mediaType } = STORED_AS[tensorFormatOf(head)]
    const description = {
      purpose: 'output',
      filename: `${id}.${extension}`,
      media_type: mediaType,
      expires_after_s: UNNAMED_S,
      metadata: {},
      output_of,
    } as const
    return (await files.upload({ tenant, description, bytes: whole, signal })).id
  },

  /** A result that is an output names nothing but the model that it has trained. */
  keep: (result, file, until) =>
    result.outcome?.case === 'output'
      ? trained.keep(result, result.outcome.value, file)
      : files.keepOutput(result.tenant, file, runOf(result.workId, result.attempt), until),
  remove: (tenant, file) => files.remove(tenant, file),
  discard: (tenant, file) => trained.discard(tenant, file),
  namedBy: ({ output_file, trained_file }) => [output_file, trained_file].filter(file => file !== undefined),
})

/** What the run of a training task calls the state that the next attempt goes on from. */
const CHECKPOINT = 'checkpoint'

/** The sandbox trains nothing: its model is the one that the task names. */
async function* parentInstead(
  parents: Pick<Parents, 'read'>,
  task: TaskRecord,
  data: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for await (const _ of bounded(data)) {
    // What the sandbox sends instead.
  }
  const content = await parents.read(task)
  if (content === undefined) throw fail('not_found', 'The model is not there any more.')
  yield* content
}

/** Makes the output file of a task over JSON Lines of what its latest run has kept. */
export const joinLines =
  (files: Files) =>
  async ({ id, tenant, attempt, lines_state }: TaskRecord, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) => {
    const output_of = runOf(id, attempt)
    const description = {
      purpose: 'output',
      filename: `${id}.jsonl`,
      media_type: 'application/jsonl',
      expires_after_s: UNNAMED_S,
      metadata: {},
      output_of,
    } as const
    // What its run has made, and no result has named, may have expired by the time that the task has ended.
    const operation = `lines/${output_of}/${lines_state}`
    return (await files.upload({ tenant, description, bytes, signal, operation })).id
  }

async function* bounded(data: AsyncIterable<Uint8Array>, most: number = MOST_BYTES): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  for await (const part of data) {
    bytes += part.length
    if (bytes > most) throw fail('payload_too_large', `An output has at most ${most / MIB} MiB.`)
    yield part
  }
}

/** Bytes that tell a format, and all of them. */
async function beginningOf(data: AsyncIterable<Uint8Array>) {
  const parts = data[Symbol.asyncIterator]()
  let head = new Uint8Array(0)
  while (head.length < HEAD_BYTES) {
    const { done, value } = await parts.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* whole() {
    if (head.length > 0) yield head
    yield* { [Symbol.asyncIterator]: () => parts }
  }
  return { head, whole: whole() }
}

const HEAD_BYTES = 16
