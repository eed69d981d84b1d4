/** Runs kinds of work, each brief in a process that is locked in. docs/decisions/workforce-service.md, "A run". */
import { fileURLToPath } from 'node:url'
import {
  type ChildMessage,
  type ChildProcess,
  type ItemResult,
  type Loaded,
  LoadFailed,
  MAX_HEAD_BYTES,
  type OnEmit,
  type RunItem,
  type Runner,
  RunnerGone,
  type RunResult,
  startChild,
} from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import type { KeptBrief } from '@millhand/workforce/employee'
import type { EmbeddingModel } from '../embedding/embedding-model.ts'
import { inOneLine } from '../text/visible-text.ts'
import { type ComputeClock, computeClock } from './compute-clock.ts'
import { type Heard, NotOfProtocol, readFromChild } from './from-child.ts'
import { type ImageModel, noImageModel, type PictureLimits, type PictureWish, readImagePrompt } from './image-model.ts'
import { lockOf, runIsolated } from './isolate.ts'
import type { LoadableKind } from './kinds.ts'
import { type Allowance, type LanguageModel, noLanguageModel } from './language-model.ts'
import { pieces } from './pieces.ts'
import { processorLimitMs } from './processor-limit.ts'
import {
  MOST_EMBEDS,
  MOST_FILE_BYTES,
  MOST_ISOLATED,
  MOST_QUESTIONS,
  MOST_TEXT_BYTES,
  type ToChild,
} from './protocol.ts'
import { type EngineUsed, resultOf } from './result-of.ts'
import { readSystemPrompt } from './system-prompt.ts'

export type { EmbeddingModel } from '../embedding/embedding-model.ts'
export type { ImageModel } from './image-model.ts'
export { type LoadableKind, loadableKinds } from './kinds.ts'
export type { LanguageModel } from './language-model.ts'
export { processorLimitMs } from './processor-limit.ts'

export interface KindRunnerOptions {
  /** Resident memory that a process may have, in bytes: the engine, its libraries and Node (100 MB). */
  readonly memoryLimitBytes: number
  readonly loadTimeoutMs?: number
  /** Whether processes leave the first core to others, where there are more. */
  readonly avoidsFirstCore?: boolean
  /** Asked here, never in a process of a kind. */
  readonly languageModel?: LanguageModel | undefined
  readonly imageModel?: ImageModel | undefined
  /** For the kinds that ask for it; asked here too. */
  readonly embeddingModel?: EmbeddingModel | undefined
  readonly log: Log
}

type Child = ChildProcess<ToChild, Heard>

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
/**
 * Once it is loaded: of a core that another wants it gets 10 % (110 to 1,024, Linux's weights), and all that is idle. To
 * load takes a second of the processor, which at 10 % is ten seconds that somebody waits.
 */
const NICENESS = 10
const LOAD_TIMEOUT_MS = 60_000

/**
 * A task's input is its brief, as JSON text; its files come beside it. Its parameters say which `engine` does it, and
 * `max_cost_micros`, the most that language models may cost.
 */
export const kindRunner = (options: KindRunnerOptions): Runner<LoadableKind> => ({
  engine: { kind: 'rules', name: 'millhand', provider: 'cpu' },
  loads: 'engine',
  ownProcesses: true,
  load: (kind, signal) => load(kind, signal, options),
})

async function load(kind: LoadableKind, signal: AbortSignal, options: KindRunnerOptions): Promise<Loaded> {
  if (signal.aborted) throw stopped()
  const { memoryLimitBytes, avoidsFirstCore = false, log } = options
  const child: Child = startChild({
    script: CHILD,
    lock: lockOf(kind),
    read: said => understood(said, kind, log),
    ahead: 0,
    messageBytes: MAX_HEAD_BYTES + 2 * MOST_TEXT_BYTES + MOST_FILE_BYTES,
    memoryLimitBytes,
    fileBytes: 0,
    log,
  })
  void child.gone.then(({ reason }) => {
    const text = child.stderr()
    if (reason !== 'killed' && text !== '') log.warn('engine.stderr', { engine: kind.id, reason, text })
  })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  const limit = setTimeout(stop, options.loadTimeoutMs ?? LOAD_TIMEOUT_MS)
  try {
    const { folder, output_schema: outputSchema, words_schema: wordsSchema, engines } = kind.spec
    const depicts = kind.spec.image_model !== undefined
    const system = engines.includes('llm') ? await readSystemPrompt(kind.spec) : ''
    const told = depicts ? await readImagePrompt(kind.spec) : system
    const rules = engines.includes('rules')
    const embeds = options.embeddingModel !== undefined && kind.asks.includes('embedding')
    const isolates = kind.asks.includes('isolate')
    child.send({ kind: 'load', id: kind.id, folder, outputSchema, wordsSchema, rules, depicts, embeds, isolates })
    const answer = await child.next()
    if (answer.kind === 'loaded') {
      child.lowerPriority({ niceness: NICENESS, avoidsFirstCore })
      const loaded = new KindProcess(kind, child, told, options)
      // Who waits for it asks it before this turn ends. A spare has time.
      if (rules) setImmediate(() => loaded.warmUp())
      return loaded
    }
    throw new LoadFailed('engine_broken', answer.kind === 'refused' ? answer.message : 'it answered out of turn')
  } catch (error) {
    await child.kill()
    throw error
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', stop)
  }
}

const stopped = () => new RunnerGone('killed', 'the loading of the engine was stopped')

/** Undefined for what the protocol has not: the log says what that is. */
function understood(said: ChildMessage, { id, spec }: LoadableKind, log: Log): Heard | undefined {
  try {
    return readFromChild(said, spec.output_schema)
  } catch (error) {
    if (!(error instanceof NotOfProtocol)) throw error
    log.warn('engine.breach', { engine: id, reason: error.message })
  }
}

class KindProcess implements Loaded {
  readonly gone: Promise<RunnerGone>
  readonly #kind: LoadableKind
  readonly #child: Child
  readonly #languageModel: LanguageModel
  readonly #imageModel: ImageModel
  readonly #embeddingModel: EmbeddingModel | undefined
  /** What the model is told that is ours: the process has no say in it. */
  readonly #system: string
  readonly #ending = new AbortController()
  /** Set with the first that is asked of it; resolves once its example is done, where that is the first. */
  #warm: Promise<void> | undefined
  readonly #options: KindRunnerOptions

  constructor(kind: LoadableKind, child: Child, system: string, options: KindRunnerOptions) {
    this.#kind = kind
    this.#child = child
    this.#system = system
    this.#options = options
    this.#languageModel = options.languageModel ?? noLanguageModel
    this.#imageModel = options.imageModel ?? noImageModel
    this.#embeddingModel = kind.asks.includes('embedding') ? options.embeddingModel : undefined
    this.gone = child.gone.then(gone => {
      this.#ending.abort()
      return gone
    })
  }

  /** Does the kind's example, where nothing was asked of it before: most engines load and compile with their first brief. */
  warmUp(): void {
    this.#warm ??= this.#warmedUp()
  }

  async #warmedUp(): Promise<void> {
    const { example } = this.#kind.spec
    const brief = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: {}, ...example }
    this.#child.send({ kind: 'warm', brief })
    const said = await this.#child.next().catch(() => undefined) // Gone: who runs it hears of it.
    if (said && said.kind !== 'loaded') await this.#breach()
  }

  async run(items: readonly RunItem[], onEmit: OnEmit = async () => {}): Promise<RunResult> {
    this.#warm ??= Promise.resolve()
    await this.#warm
    const results: ItemResult[] = []
    let computeMs = 0
    for (const [at, item] of items.entries()) {
      const clock = computeClock()
      const endLimit = this.#child.limitProcessor(processorLimitMs(this.#kind.processor, item))
      try {
        results.push(await this.#run(item, raw => onEmit(at, { kind: 'output', json: raw }), clock))
      } finally {
        endLimit()
      }
      computeMs += clock.ms()
    }
    return { items: results, computeMs }
  }

  async #run(item: RunItem, keep: (raw: string) => Promise<void>, clock: ComputeClock): Promise<ItemResult> {
    const { engine = 'rules', max_cost_micros: maxCostMicros } = item.parameters ?? {}
    const limits = {
      ...(typeof maxCostMicros === 'number' && { maxCostMicros }),
      onUsage: item.onUsage ?? (() => {}),
      onWait: item.onWait,
      /** Where nothing bounds it, or it costs nothing, there is nothing to keep in mind. */
      async reserve(costMicros: number) {
        if (typeof maxCostMicros === 'number' && costMicros > 0) await item.reserveCost?.(costMicros)
      },
      signal: this.#ending.signal,
    }
    const brief: KeptBrief = JSON.parse(item.input as string)
    const allowance = this.#languageModel.allow({ ...limits, seed: brief.seed })
    const depicts = this.#kind.spec.image_model !== undefined
    const files = (item.files ?? []).map(({ name, mediaType, bytes }) => ({
      name: inOneLine(name),
      media_type: mediaType,
      bytes,
    }))
    this.#child.send({ kind: 'run', engine: engine === 'llm' ? 'llm' : 'rules', brief: { ...brief, files } })
    let questions = 0
    let embeds = 0
    let isolated = 0
    for (;;) {
      const said = await this.#child.next()
      switch (said.kind) {
        case 'question':
          if (engine !== 'llm' || depicts || questions++ === MOST_QUESTIONS) throw await this.#breach()
          this.#child.send(await clock.without(this.#answer(allowance, said.prompt, keep)))
          break
        case 'depict':
          if (engine !== 'llm' || !depicts || questions++ > 0) throw await this.#breach()
          this.#child.send(await clock.without(this.#picture(said, limits)))
          break
        case 'embed':
          if (this.#embeddingModel === undefined || embeds++ === MOST_EMBEDS) throw await this.#breach()
          this.#child.send(await clock.without(this.#embeddingModel.embed(said.texts, this.#ending.signal)))
          break
        case 'isolate':
          if (!this.#kind.asks.includes('isolate') || isolated++ === MOST_ISOLATED) throw await this.#breach()
          this.#child.send(await runIsolated(this.#kind, said.work, this.#ending.signal, this.#options))
          break
        case 'made':
          return resultOf(said.made, this.#used(engine === 'llm', questions))
        case 'failed':
          return { ok: false, ...said.fault }
        default:
          throw await this.#breach()
      }
    }
  }

  /** What the language model says is kept as it came, in the task's stream. */
  async #answer(allowance: Allowance, prompt: string, keep: (raw: string) => Promise<void>) {
    const { output_schema, words_schema } = this.#kind.spec
    const answer = await allowance.ask({ system: this.#system, prompt, schema: words_schema ?? output_schema })
    if (answer.kind === 'told') for (const piece of pieces(answer.text)) await keep(JSON.stringify(piece))
    return answer
  }

  /** What the picture is to show stands behind what is ours. */
  #picture({ prompt, width, height }: PictureWish, limits: PictureLimits) {
    return this.#imageModel.depict({ prompt: `${this.#system}\n\n${prompt}`, width, height }, limits)
  }

  /** Where rules do the rest they may have had no need of a model. */
  #used(byModel: boolean, questions: number): EngineUsed {
    const { words_schema: words, image_model: depicts } = this.#kind.spec
    const isWhole = words === undefined && depicts === undefined
    if (!byModel || (questions === 0 && !isWhole)) return { kind: 'rules', name: this.#kind.id }
    const { name, model } = depicts === undefined ? this.#languageModel : this.#imageModel
    return { kind: isWhole ? 'llm' : 'hybrid', name, model }
  }

  async #breach(): Promise<RunnerGone> {
    const breach = new RunnerGone('crashed', 'the process of the engine said what it was not asked')
    await this.#child.kill(breach)
    return breach
  }

  memoryBytes(): number {
    return this.#child.memoryBytes()
  }

  async kill(): Promise<void> {
    this.#ending.abort()
    await this.#child.kill()
  }
}
