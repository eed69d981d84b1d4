/** The process of a local language model: loaded once, asked several things at once, gone after a crash. */
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  type ChildProcess,
  LoadFailed,
  type LoadLimits,
  loadLimits,
  MAX_HEAD_BYTES,
  RunnerGone,
  startChild,
  withinLoadLimits,
} from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import {
  type Answer,
  type Context,
  type Counts,
  type Heard,
  type Load,
  MOST_ANSWER_BYTES,
  MOST_UNTAKEN,
  type Question,
  readFromChild,
  type ToChild,
} from './protocol.ts'
import { Turns } from './turns.ts'

export { ggufFault, missingPackage } from './gguf-file.ts'
export type { Answer, Counts, Question } from './protocol.ts'

export interface GgufProcessOptions extends Load {
  readonly contexts: readonly GgufContext[]
  /** Resident memory that it may have: the file is mapped, and counts. */
  readonly memoryLimitBytes: number
  readonly log: Log
  /** What loading may take; what the size of the file allows where left out. */
  readonly loadLimits?: LoadLimits
}

export interface GgufContext extends Context {
  /** The process is killed where an answer has not ended so long after it was told to stop, in milliseconds. */
  readonly stopMs: number
}

export interface Asking {
  /** Which context answers, by its index; the first one where left out. */
  readonly context?: number
  /** Ends the answer early: it is then what there is of it. One that has not begun rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Takes the answer piece by piece. Resolves when there is room for the next. Never rejects. */
  readonly onPiece?: ((text: string, counts: Counts) => Promise<void>) | undefined
}

export interface GgufProcess {
  /**
   * Waits for its turn where as many are asked already as the context has sequences. Rejects with `RunnerGone` when the process
   * ends first: `evicted` where it had to be killed because another answer did not stop.
   */
  ask(question: Question, asking?: Asking): Promise<Answer>
  /** Resident memory, in bytes; 0 once it is gone. */
  memoryBytes(): number
  /** Idempotent. Resolves when the process is gone. */
  kill(): Promise<void>
  readonly gone: Promise<RunnerGone>
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
/** node-llama-cpp tries its native code in a process of its own first. */
const CODE = {
  'libs/gguf': ['node-llama-cpp'],
  'libs/child-process': [],
  'libs/telemetry': [],
  'libs/model': [],
}
/** It looks for the C library that its native code is to fit. */
const SYSTEM = ['/usr', '/lib', '/lib64', '/bin', '/sbin', '/etc/os-release']
/** Processor time for each byte of the file, in milliseconds: llama.cpp reads all of it, and may reorder the weights. */
const LOAD_MS_PER_BYTE = 5_000 / 1e9

/**
 * Resolves once the model is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be, and leaves no process
 * then: with `RunnerGone('not_started')` where others had the machine, with `RunnerGone('killed')` when the signal fires before.
 */
export async function startGguf(options: GgufProcessOptions, signal?: AbortSignal): Promise<GgufProcess> {
  const { file, threads, contexts, memoryLimitBytes, log } = options
  const limits = options.loadLimits ?? (await limitsOf(file))
  if (signal?.aborted) throw stopped()
  const sequences = contexts.reduce((sum, one) => sum + one.sequences, 0)
  const child = startChild<ToChild, Heard>({
    script: CHILD,
    lock: { code: CODE, readable: [file, ...SYSTEM], native: true, startsProcesses: true },
    read: readFromChild,
    ahead: sequences * (MOST_UNTAKEN + 1),
    messageBytes: sequences * (MAX_HEAD_BYTES + MOST_ANSWER_BYTES),
    fileBytes: 0,
    memoryLimitBytes,
    log,
  })
  const stop = () => void child.kill(stopped())
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const said = await withinLoadLimits(child, limits, () => {
      child.send({ kind: 'load', load: { file, threads, contexts } })
      return child.next()
    })
    if (said.kind === 'loaded') return new AskedGguf(child, options)
    throw new LoadFailed('model_broken', (said.kind === 'refused' && said.message) || 'it answered out of turn')
  } catch (error) {
    await child.kill()
    throw error
  } finally {
    // The process outlives its loading.
    signal?.removeEventListener('abort', stop)
  }
}

async function limitsOf(file: string): Promise<LoadLimits> {
  // Of a file that is not there any more the child says so.
  const { size } = await stat(file).catch(() => ({ size: 0 }))
  return { ...loadLimits, processorMs: loadLimits.processorMs + size * LOAD_MS_PER_BYTE }
}

const stopped = () => new RunnerGone('killed', 'the model was stopped')

/** A question that the child has. */
interface Asked {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  readonly onPiece: Asking['onPiece']
  untaken: number
}

class AskedGguf implements GgufProcess {
  readonly gone: Promise<RunnerGone>
  readonly #child: ChildProcess<ToChild, Heard>
  readonly #options: GgufProcessOptions
  readonly #asked = new Map<number, Asked>()
  /** Of each context. */
  readonly #turns: readonly Turns[]
  #lastId = 0
  #ended: RunnerGone | undefined

  constructor(child: ChildProcess<ToChild, Heard>, options: GgufProcessOptions) {
    this.#child = child
    this.#options = options
    this.#turns = options.contexts.map(({ sequences }) => new Turns(sequences))
    this.gone = child.gone
    // Once for all questions: each reaction to it is kept as long as the process is there.
    void this.gone.then(why => {
      this.#ended = why
      for (const { reject } of this.#asked.values()) reject(why)
    })
    void this.#hear()
  }

  async ask(question: Question, asking: Asking = {}): Promise<Answer> {
    const { context = 0, signal } = asking
    const turns = this.#turns[context]
    if (turns === undefined) throw new Error(`the process has no context ${context}`)
    await turns.take(signal)
    try {
      return await this.#answerTo(question, { ...asking, context })
    } finally {
      turns.release()
    }
  }

  async #answerTo(question: Question, { context, signal, onPiece }: Asking & { context: number }): Promise<Answer> {
    // One that is gone already is not heard any more.
    if (this.#ended) throw this.#ended
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    let late: NodeJS.Timeout | undefined
    const stop = () => {
      this.#child.send({ kind: 'stop', id })
      late = setTimeout(() => {
        void this.#child.kill(new RunnerGone('evicted', 'another run of the process did not stop in time'))
      }, this.#options.contexts[context]?.stopMs)
    }
    this.#asked.set(id, { resolve, reject, onPiece, untaken: 0 })
    this.#child.send({ kind: 'ask', id, context, question, streams: onPiece !== undefined })
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    try {
      return await promise
    } finally {
      this.#asked.delete(id)
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
    }
  }

  async #hear(): Promise<void> {
    try {
      for (;;) {
        const said = await this.#child.next()
        if (!this.#take(said)) await this.#child.kill(new RunnerGone('crashed', 'the process said what it may not'))
      }
    } catch {
      // Who asks is told by `gone`.
    }
  }

  /** Says whether the child kept to its bounds: it may be compromised. */
  #take(said: Heard): boolean {
    if (said.kind === 'loaded' || said.kind === 'refused') return false
    const { id } = said
    const asked = this.#asked.get(id)
    if (asked === undefined) return false
    if (said.kind !== 'piece') {
      asked.resolve(said)
      this.#asked.delete(id)
      return true
    }
    if (asked.onPiece === undefined || asked.untaken === MOST_UNTAKEN) return false
    asked.untaken++
    const { inputTokens, outputTokens } = said
    void asked.onPiece(said.text, { inputTokens, outputTokens }).then(() => {
      asked.untaken--
      this.#child.send({ kind: 'taken', id })
    })
    return true
  }

  memoryBytes(): number {
    return this.#child.memoryBytes()
  }

  kill(): Promise<void> {
    return this.#child.kill()
  }
}
