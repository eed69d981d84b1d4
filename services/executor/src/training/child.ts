/** The process that a model is trained in. It reads everything that is hostile, holds no secret, and can be killed. */
import { createReadStream, readFileSync } from 'node:fs'
import { endIfOutOfMemory, lockDown, lockLoaded, openChannel, startWatchdog } from '@millhand/child-process/child'
import { excerpt } from '@millhand/model'
import { openSessionOf } from '@millhand/onnxruntime'
import {
  CheckpointInvalid,
  checkParameters,
  createTrainer,
  type ExampleSet,
  ExamplesInvalid,
  exampleFormatOf,
  ParametersInvalid,
  readExamples,
  type Trainer,
  type TrainerOptions,
  TrainingDiverged,
  type TrainingParameters,
  TrainingRefused,
} from '@millhand/training'
import type { FailedMessage, LoadMessage, Said, ToChild, TrainMessage } from './protocol.ts'
import { runSteps } from './run-steps.ts'

startWatchdog()

const say = openChannel<ToChild, Said>(hear)
lockDown()
/** What was loaded, with the bytes of the model. */
let loaded: (LoadMessage & { readonly bytes: Uint8Array }) | undefined
let goOn: () => void = () => {}

function hear(message: ToChild): void {
  switch (message.kind) {
    case 'load':
      load(message)
      break
    case 'train':
      void train(message)
      break
    case 'go_on':
      goOn()
  }
}

function load(message: LoadMessage): void {
  try {
    loaded = { ...message, bytes: readFileSync(message.path) }
    lockLoaded()
    say({ kind: 'loaded' })
  } catch (error) {
    endIfOutOfMemory(error)
    say({ kind: 'refused', message: messageOf(error) })
  }
}

async function train({ examples, parameters: asked, checkpoint }: TrainMessage): Promise<void> {
  try {
    const { bytes, model, parent, versions } = loaded as NonNullable<typeof loaded>
    const checked = checkParameters(asked, model)
    if ('problems' in checked) throw new ParametersInvalid(checked.problems)
    const { parameters } = checked
    const set = await read(examples, model, parameters)
    const options = { bytes, model, examples: set, parameters, parent, versions, open }
    const trainer = await resume(options, checkpoint)
    await runSteps(trainer, { now: () => performance.now(), say: ask })
    const { model: trained, card } = await trainer.finish()
    say({ kind: 'done', card: { ...card } }, [trained])
  } catch (error) {
    say(failed(error))
  }
}

/** One thread: sums of several may be taken in another order, and runs are to be equal bit for bit. */
const open = (model: Uint8Array) => openSessionOf(model, { threads: 1 })

async function read(
  examples: TrainMessage['examples'],
  model: LoadMessage['model'],
  parameters: TrainingParameters,
): Promise<ExampleSet> {
  if (typeof examples === 'string') return await readExamples(Buffer.from(examples), { format: 'jsonl', model, parameters })
  const head: Buffer[] = await createReadStream(examples.path, { end: HEAD_BYTES - 1 }).toArray()
  const format = exampleFormatOf(Buffer.concat(head))
  return await readExamples(createReadStream(examples.path), { format, model, parameters })
}

const HEAD_BYTES = 65_536

/** A checkpoint that can't be read is none: the run begins anew, and makes the same. */
async function resume(options: TrainerOptions, checkpoint: Uint8Array | undefined): Promise<Trainer> {
  try {
    return await createTrainer({ ...options, ...(checkpoint && { restore: checkpoint }) })
  } catch (error) {
    if (error instanceof CheckpointInvalid) return await createTrainer(options)
    throw error
  }
}

/** Says something, and resolves once the parent says to go on. */
async function ask(said: Said, parts?: readonly Uint8Array[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  goOn = resolve
  say(said, parts)
  await promise
}

function failed(error: unknown): FailedMessage {
  const message = messageOf(error)
  // It may quote the caller.
  if (error instanceof ExamplesInvalid) return { kind: 'failed', code: 'model_input_invalid', message }
  if (error instanceof TrainingRefused || error instanceof ParametersInvalid)
    return { kind: 'failed', code: 'training_refused', message }
  if (error instanceof TrainingDiverged) return { kind: 'failed', code: 'training_diverged', message }
  endIfOutOfMemory(error)
  return { kind: 'failed', code: 'model_failed', message: `the training failed: ${message}` }
}

const messageOf = (error: unknown): string =>
  excerpt(error instanceof Error ? error.message.trim() : String(error), MOST_MESSAGE)

const MOST_MESSAGE = 1_000
