/** Some lines, run together: a result for each, whatever one of them does to the process. */
import { setImmediate } from 'node:timers/promises'
import { type ItemResult, type OutputFile, type RunItem, RunnerGone } from '@millhand/child-process'
import { excerpt, type InputFormat } from '@millhand/model'
import { failure } from '../outcome.ts'
import type { Warm } from '../warm-process.ts'
import { isJson } from './is-json.ts'
import type { Line } from './line-reader.ts'

/** What a line of the output has beside its index. */
export interface LineResult {
  /** The output, or the error where it failed: JSON in UTF-8, without line breaks. */
  readonly json: Buffer
  readonly isFailed: boolean
}

/** Results that are read at once: about a millisecond. */
const MOST_TOGETHER = 256

export interface PortionDeps {
  readonly warm: Warm
  readonly inputFormat: InputFormat
  readonly parameters: RunItem['parameters']
  /** Called when the process begins with lines. */
  readonly onBegin: () => void
  /** Called with the milliseconds that it computed. */
  readonly onCompute: (ms: number) => void
  /** Ends the wait for the process when the run is to stop. */
  readonly unwanted: AbortSignal
  /** Whether the run is to stop: then no line is to blame for the end of its process. */
  readonly isStopped: () => boolean
  /** Counts lines that have ended their process, each alone. Throws where there are too many. */
  readonly onCrash: (error: RunnerGone) => void
}

/** Begins as soon as the process is free. The caller disposes of the portion. */
export const beginPortion = (deps: PortionDeps, lines: readonly Line[]): Portion =>
  new Portion(
    deps,
    lines.map(line => inputOf(line, deps.inputFormat)),
  )

/** Some lines and what has come of them. Its disposal closes the files that nobody has read, once the process has answered. */
export class Portion implements AsyncDisposable {
  readonly #deps: PortionDeps
  /** A line that is no input has its result. */
  readonly #inputs: readonly (string | ItemResult)[]
  readonly #texts: readonly string[]
  readonly #answers: Promise<readonly ItemResult[]>
  readonly #unread = new Set<OutputFile>()
  /** Resolves once the process is free: whether all that is left is in memory, so that another may use it. Never rejects. */
  readonly isInMemory: Promise<boolean>
  /** Milliseconds that the process computed all of them together; 0 where it has not answered. */
  computeMs = 0
  /** Of its results that are in memory. */
  resultBytes = 0

  constructor(deps: PortionDeps, inputs: readonly (string | ItemResult)[]) {
    this.#deps = deps
    this.#inputs = inputs
    this.#texts = inputs.filter(input => typeof input === 'string')
    this.#answers = this.#texts.length > 0 ? this.#run() : Promise.resolve([])
    this.isInMemory = this.#answers.then(
      items => this.#unread.size === 0 && !items.some(item => this.#hadNoRoom(item)),
      () => false,
    )
  }

  /**
   * A result for each line, in order, as they are read: those in memory some together, each in a file by itself. Where the
   * process exits, each half runs by itself, down to the one line that ends it: that one fails. Rejects with what
   * else keeps lines from running, and where the run is stopped. To be called once.
   */
  async *results(): AsyncGenerator<readonly LineResult[], void> {
    let answers: readonly ItemResult[]
    try {
      answers = await this.#answers
    } catch (error) {
      if (this.#deps.isStopped() || !(error instanceof RunnerGone) || error.reason === 'not_started') throw error
      return yield* this.#resultsAfter(error)
    }
    let inMemory: LineResult[] = []
    let at = 0
    for (const input of this.#inputs) {
      const item = typeof input === 'string' ? (answers[at++] ?? noAnswer) : input
      const file = item.ok && 'file' in item ? item.file : undefined
      const isAgain = this.#hadNoRoom(item)
      if (file === undefined && !isAgain) {
        if (inMemory.push(resultOf(item)) < MOST_TOGETHER) continue
        yield inMemory
        inMemory = []
        // So that the process, which runs the next portion meanwhile, is heard and has work.
        await setImmediate()
        continue
      }
      if (inMemory.length > 0) yield inMemory
      inMemory = []
      if (file) yield [await this.#read(file)]
      else yield* this.#resultsOf([input])
    }
    if (inMemory.length > 0) yield inMemory
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#answers.catch(() => {})
    for (const file of this.#unread) await file.handle.close()
    this.#unread.clear()
  }

  async #run(): Promise<readonly ItemResult[]> {
    const { warm, parameters, unwanted, isStopped, onBegin, onCompute } = this.#deps
    const { items, computeMs } = await warm.run(
      () => {
        if (isStopped()) throw new RunnerGone('killed', 'the run was stopped')
        onBegin()
        return this.#texts.map(input => ({ input, parameters }))
      },
      async () => {}, // What streams from a single task has no place in a line.
      unwanted,
    )
    this.computeMs = computeMs
    onCompute(computeMs)
    for (const item of items) {
      if (item.ok && 'file' in item) this.#unread.add(item.file)
      else if (item.ok && 'output' in item) this.resultBytes += item.output.length
    }
    return items
  }

  async *#resultsAfter(crash: RunnerGone): AsyncGenerator<readonly LineResult[], void> {
    if (this.#texts.length === 1) {
      this.#deps.onCrash(crash)
      yield this.#inputs.map(input => (typeof input === 'string' ? faultOfCrash(crash) : resultOf(input)))
      return
    }
    const half = Math.ceil(this.#inputs.length / 2)
    yield* this.#resultsOf(this.#inputs.slice(0, half))
    yield* this.#resultsOf(this.#inputs.slice(half))
  }

  async *#resultsOf(inputs: readonly (string | ItemResult)[]): AsyncGenerator<readonly LineResult[], void> {
    await using portion = new Portion(this.#deps, inputs)
    yield* portion.results()
  }

  /** There was no room for it beside the others: it runs again alone. */
  #hadNoRoom(item: ItemResult): boolean {
    return !item.ok && item.retryable && this.#texts.length > 1
  }

  async #read(file: OutputFile): Promise<LineResult> {
    this.#unread.delete(file)
    try {
      return output(await file.handle.readFile())
    } finally {
      await file.handle.close()
    }
  }
}

const failed = (code: string, message: string): ItemResult => ({ ok: false, code, message, retryable: false })

const noAnswer = failed('model_failed', 'The model gave no answer.')

/** Of an output that is in no file. */
function resultOf(item: ItemResult): LineResult {
  if (!item.ok) return fault(item.code, item.message)
  return 'output' in item ? output(item.output) : fault('model_failed', 'The output names files, which a line can’t.')
}

/** One line of JSON: the process that wrote it may be compromised. Neither a string nor what it says is made of it. */
function output(json: Buffer): LineResult {
  if (!isJson(json)) return fault('model_failed', 'The model’s output is no JSON.')
  // No line break is inside of a string: all of them are space.
  for (const end of [LINE_FEED, CARRIAGE_RETURN])
    for (let at = json.indexOf(end); at >= 0; at = json.indexOf(end, at)) json[at] = SPACE
  return { json, isFailed: false }
}

const [SPACE, LINE_FEED, CARRIAGE_RETURN] = [0x20, 0x0a, 0x0d]

function faultOfCrash({ reason, message }: RunnerGone): LineResult {
  if (reason === 'out_of_memory') return fault(reason, 'The line needed more memory than a run may have.')
  if (reason === 'processor_limit') return fault(reason, message)
  return fault('model_crashed', 'The process that ran the model ended unexpectedly.')
}

function fault(code: string, said: string): LineResult {
  const { value } = failure(code, said, false)
  const message = typeof value === 'object' ? value.message : said
  return { json: Buffer.from(JSON.stringify({ code, message })), isFailed: true }
}

/** A line as the model's input: what a string of JSON says, else the line itself for what reads JSON. */
function inputOf(line: Line, format: InputFormat): string | ItemResult {
  if (line === undefined) return failed('payload_too_large', 'The line is longer than an input may be.')
  if (line.startsWith('"')) {
    try {
      return JSON.parse(line) as string
    } catch (error) {
      return failed('model_input_invalid', `the line is no JSON: ${excerpt((error as Error).message, 128)}`)
    }
  }
  return format === 'json' || format === 'tensors'
    ? line
    : failed('model_input_invalid', 'the line must be a string of JSON, in quotes')
}
