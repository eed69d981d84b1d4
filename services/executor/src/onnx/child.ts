/** The process that a model lives in. It reads everything that is hostile, holds no secret, and can be killed. */

import { PieceTooLarge } from '@millhand/child-process'
import { endIfOutOfMemory, lockDown, lockLoaded, openChannel, startWatchdog } from '@millhand/child-process/child'
import { excerpt, InputInvalid } from '@millhand/model'
import { MAX_MESSAGE_BYTES, mostInline } from '../result-limit.ts'
import { emitWindow } from './emit-window.ts'
import { OutputTooLarge } from './output-limit.ts'
import { type FileOutput, type Processor, toError } from './processing/processor.ts'
import {
  type FromChild,
  type ItemFault,
  type ItemInFile,
  type LoadMessage,
  outputName,
  type RunMessage,
  type ToChild,
} from './protocol.ts'
import { writeOutput } from './write-output.ts'

startWatchdog()

const say = openChannel<ToChild, FromChild>(hear)
const emissions = emitWindow(say)
lockDown()
let processor: Processor | undefined
/** Bytes that the outputs of one run may have together, in messages. */
let inline = 0
/** What the run at hand has left of its room. */
const left = { inline: 0, files: 0 }
/** Ends with the last portion that was sent. */
let running: Promise<void> = Promise.resolve()

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      void load(message)
      break
    case 'run':
      running = running.then(() => run(message))
      break
    case 'taken':
      emissions.taken()
  }
}

async function load(message: LoadMessage): Promise<void> {
  try {
    inline = mostInline(message.maxBatch)
    processor = await openProcessor(message)
    lockLoaded()
    say({ kind: 'loaded' })
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'refused', message: messageOf(error as Error) })
  }
}

async function run({ inputs, parameters, first, room }: RunMessage): Promise<void> {
  if (first === 0) Object.assign(left, { inline, files: room })
  const items = inputs.map((input, index) => ({ input, parameters: parameters?.[index] }))
  const results = await (processor as Processor).run(items, emissions.emit)
  const answers = results.map((result, index) =>
    result instanceof Error ? fault(result) : write(result, first + index),
  )
  const outputs = answers.filter(answer => typeof answer === 'string')
  const answered = answers.map(answer => (typeof answer === 'string' ? null : answer))
  say({ kind: 'done', items: answered }, outputs)
}

/** An output as it is where it fits a message, else in a file, which the parent takes away before the next run. */
function write(output: string | FileOutput, item: number): string | ItemInFile | ItemFault {
  if (typeof output === 'string') {
    const bytes = Buffer.byteLength(output)
    if (bytes <= MAX_MESSAGE_BYTES && bytes <= left.inline) {
      left.inline -= bytes
      return output
    }
  }
  try {
    const parts = typeof output === 'string' ? [Buffer.from(output)] : output.parts
    const bytes = writeOutput(outputName(item), parts, left.files)
    if (bytes === undefined) return { code: 'no_room', message: '' }
    left.files -= bytes
    return { inFile: true }
  } catch (error) {
    return fault(toError(error))
  }
}

function fault(error: Error): ItemFault {
  // It may quote the caller.
  if (error instanceof InputInvalid) return { code: 'model_input_invalid', message: error.message }
  if (error instanceof OutputTooLarge || error instanceof PieceTooLarge) {
    return { code: 'output_too_large', message: error.message }
  }
  endIfOutOfMemory(error)
  return { code: 'model_failed', message: `the model failed on this input: ${messageOf(error)}` }
}

/** What a library says, which may hold names of any length. ONNX Runtime puts its own source lines before some of it. */
const messageOf = ({ message }: Error): string =>
  excerpt(message.replace(/\/onnxruntime_src\/\S+:\d+ .*?\) (?=[A-Z])/g, '').trim(), MOST_MESSAGE)

const MOST_MESSAGE = 1_000

/** Loads the model's files. Rejects when they are broken. Only the processing that is used is imported. */
async function openProcessor(message: LoadMessage): Promise<Processor> {
  switch (message.processing.kind) {
    case 'single':
      return (await import('./processing/single.ts')).openSingle(message, message.processing)
    case 'ocr':
      return (await import('./processing/ocr/ocr.ts')).openOcr(message)
    case 'speech':
      return (await import('./processing/speech/speech.ts')).openSpeech(message)
    case 'file_type':
      return (await import('./processing/file-type/file-type.ts')).openFileType(message)
    case 'embedding':
      return (await import('./processing/embedding/embedding.ts')).openEmbedding(message)
  }
}
