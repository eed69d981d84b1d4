/** Answers without a model, and does what inputs ask the sandbox for: the adapter of `Runner` that computes nothing. */

import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readSandboxInput } from '@millhand/api'
import {
  type Emission,
  type InputFile,
  type ItemResult,
  type Loadable,
  type Loaded,
  makeTempFolder,
  type OnEmit,
  type OutputFile,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
} from '@millhand/child-process'
import { InputInvalid, type ModelPackage } from '@millhand/model'
import { type Clock, systemClock } from '@millhand/process'
import { trainedResult } from '../trained-result.ts'
import { type MockOutput, mockOutputOf } from './mock-output.ts'
import { mockTraining } from './mock-training.ts'
import { SeededRandom } from './seeded-random.ts'
import { pieceOf, readStreamInstructions, type StreamInstructions } from './stream-instructions.ts'

/** What the sandbox does in the place of something. */
export interface Mocked<L extends Loadable> {
  readonly loads: Runner<L>['loads']
  /** The part of an input that may ask the sandbox for something. */
  readonly askingPart: (input: string) => string
  /**
   * What it answers, which follows from the dice: those from its id, the input and the parameters. Of a file `text` is
   * what tells it from others, and `input` the file. The signal fires when the run is killed.
   */
  readonly outputOf: (
    thing: L,
    dice: SeededRandom,
    text: string,
    parameters: RunItem['parameters'],
    input: RunItem['input'],
    signal: AbortSignal,
  ) => MockOutput | undefined | Promise<MockOutput | undefined>
}

const mockedModel: Mocked<ModelPackage> = {
  loads: 'model',
  askingPart: input => input,
  outputOf: mockOutputOf,
}

/** Trains nothing: its reports and its card are made up. */
const mockedTraining: Mocked<ModelPackage> = {
  ...mockedModel,
  outputOf: (model, dice, _, parameters, examples, signal) => mockTraining(model, dice, examples, signal, parameters),
}

interface MockOptions {
  readonly clock?: Clock
  /** What it passes for, where that is not the processor. */
  readonly gpuType?: string
}

/** Each item's output fits the model's `outputSchema`. It emits what it asks for (`stream-instructions.ts`), else what a model of its kind does. */
export const mockRunner = (options: MockOptions = {}): Runner<ModelPackage> => mockRunnerOf(mockedModel, options)

/** The same for tasks that train. */
export const mockTrainingRunner = (options: MockOptions = {}): Runner<ModelPackage> =>
  mockRunnerOf(mockedTraining, options)

export function mockRunnerOf<L extends Loadable>(
  mocked: Mocked<L>,
  { clock = systemClock, gpuType }: MockOptions = {},
): Runner<L> {
  return {
    engine: { kind: 'mock', name: 'mock', provider: 'none', ...(gpuType && { gpuType }) },
    loads: mocked.loads,
    ownProcesses: true,
    async load(thing, signal) {
      if (signal.aborted) throw stopped()
      return new Mock(thing, mocked, clock)
    },
  }
}

const stopped = () => new RunnerGone('killed', 'the run was stopped')

/** Enough to tell files apart: whoever reads all of a large one holds others up. */
async function beginningOf({ path, bytes }: InputFile): Promise<string> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0)
    return `${bytes} ${buffer.toString('base64', 0, bytesRead)}`
  } finally {
    await handle.close()
  }
}

const BEGINNING_BYTES = 65_536

/** Pieces between two that are followed by how far it is. */
const progressEvery = 10

const fault = (code: string, message: string): ItemResult => ({ ok: false, code, message, retryable: false })
async function result({ output, trains }: MockOutput): Promise<ItemResult> {
  // What it has in the place of a model says so, to whoever comes upon it.
  if (trains && typeof output === 'string') return mockTrained(output)
  if (typeof output !== 'string') return { ok: true, file: await fileOf(output) }
  const bytes = Buffer.from(output)
  return bytes.length <= mostBytes ? { ok: true, output: bytes } : tooLarge
}

const mockTrained = (output: string): ItemResult => trainedResult(JSON.parse(output), Buffer.from('sandbox'))

async function fileOf(parts: Iterable<Uint8Array>): Promise<OutputFile> {
  const folder = makeTempFolder('inputs')
  const handle = await open(join(folder, 'output'), 'wx+', 0o600)
  await rm(folder, { recursive: true })
  const content = Buffer.concat([...parts])
  await handle.write(content)
  return { handle, bytes: content.length }
}

const tooLarge = fault('output_too_large', 'The sandbox makes no output as large as this model’s.')

/** Larger outputs of JSON are files, which it makes none of. UTF-8 bytes. */
const mostBytes = 256 * 1024

class Mock<L extends Loadable> implements Loaded {
  readonly gone: Promise<RunnerGone>
  readonly #thing: L
  readonly #mocked: Mocked<L>
  readonly #clock: Clock
  readonly #killed = new AbortController()

  constructor(thing: L, mocked: Mocked<L>, clock: Clock) {
    this.#thing = thing
    this.#mocked = mocked
    this.#clock = clock
    const { signal } = this.#killed
    this.gone = new Promise(resolve => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }))
  }

  async run(items: readonly RunItem[], onEmit: OnEmit = async () => {}): Promise<RunResult> {
    const { signal } = this.#killed
    signal.throwIfAborted()
    const { promise: killed, reject } = Promise.withResolvers<never>()
    const end = () => reject(signal.reason)
    signal.addEventListener('abort', end, { once: true })
    const startedAt = this.#clock.monotonic()
    const answers = Promise.all(items.map((item, at) => this.#answer(item, emission => onEmit(at, emission))))
    try {
      return { items: await Promise.race([answers, killed]), computeMs: this.#clock.monotonic() - startedAt }
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  async #answer(item: RunItem, emit: (emission: Emission) => Promise<void>): Promise<ItemResult> {
    const tell = async (emission: Emission) => {
      this.#killed.signal.throwIfAborted()
      await emit(emission)
    }
    try {
      return await this.#answerTo(item, tell)
    } catch (error) {
      if (error instanceof InputInvalid) return fault('model_input_invalid', error.message)
      throw error
    }
  }

  async #answerTo(
    { input, parameters, onUsage, keepBest }: RunItem,
    emit: (emission: Emission) => Promise<void>,
  ): Promise<ItemResult> {
    const { askingPart, outputOf } = this.#mocked
    const asked = typeof input === 'string' ? readSandboxInput(askingPart(input)) : undefined
    if (asked?.kind === 'fail') return fault('sandbox_failure', 'The input asked the sandbox to fail.')
    if (asked?.kind === 'error') return fault(asked.code, 'The input asked the sandbox for this error.')
    const plan = readStreamInstructions(asked, parameters)
    const given = typeof input === 'string' ? input : await beginningOf(input)
    const dice = new SeededRandom(this.#thing.id, given, canonicalJson(parameters))
    const answer = await outputOf(this.#thing, dice, given, parameters, input, this.#killed.signal)
    if (answer?.best !== undefined) keepBest?.(mockTrained(answer.best))
    if (asked?.kind === 'slow') await this.#clock.sleep(asked.ms, this.#killed.signal)
    if (plan) await this.#stream(plan, emit)
    else if (answer) for (const piece of answer.pieces) await emit({ kind: 'output', json: JSON.stringify(piece) })
    for (const progress of answer?.progress ?? []) await emit({ kind: 'progress', ...progress })
    const [inputTokens, outputTokens] = answer?.tokens ?? [0, 0]
    onUsage?.({ inputTokens, outputTokens, costMicros: 0 })
    return answer ? await result(answer) : tooLarge
  }

  async #stream(plan: StreamInstructions, emit: (emission: Emission) => Promise<void>): Promise<void> {
    const startedAt = this.#clock.monotonic()
    for (let count = 1; count <= plan.chunks; count++) {
      const early = startedAt + count * plan.intervalMs - this.#clock.monotonic()
      if (early > 0) await this.#clock.sleep(early, this.#killed.signal)
      await emit({ kind: 'output', json: JSON.stringify(pieceOf(plan, count)) })
      if (count % progressEvery === 0 || count === plan.chunks) {
        const message = `${count} of ${plan.chunks}`
        await emit({ kind: 'progress', fraction: count / plan.chunks, message })
      }
    }
  }

  /** There is no process. */
  memoryBytes(): number {
    return 0
  }

  async kill(): Promise<void> {
    this.#killed.abort(stopped())
    await this.gone
  }
}

/** JSON text that is the same for values that differ in nothing but the order of their fields. */
const canonicalJson = (value: unknown): string => JSON.stringify(value, inOrder) ?? ''

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
