/**
 * The run of a task over JSON Lines: portion by portion in a process of its own, while what is done is kept in parts.
 * However it ends, what it has done by then is kept, unless its lease is lost. docs/decisions/batch-tasks.md.
 */
import { codeOf } from '@millhand/api'
import type { InputFile, Loadable, RunnerGone } from '@millhand/child-process'
import type { InputFormat } from '@millhand/model'
import { faultOfReading } from '../input-files.ts'
import type { HeldLease } from '../lease.ts'
import { failure, type Outcome, outcomes } from '../outcome.ts'
import type { ActiveRun, Loaded, RunBatchDeps } from '../run-batch.ts'
import { childSpans } from '../run-spans.ts'
import type { OwnWarm } from '../warm-processes.ts'
import { LineReader, NotRead } from './line-reader.ts'
import { LineResults } from './line-results.ts'
import { PORTION_CHARACTERS, type PortionsDeps, runPortions } from './portions.ts'
import type { LinesStore } from './store-lines.ts'

/** So many lines that each end their process are the model's fault and not theirs. */
const MOST_CRASHES = 20

/** Progress is reported so often at first, then each time a hundredth of the run has passed, and at its end. */
const PROGRESS_MS = 1_000

export interface LinesRunDeps extends Omit<RunBatchDeps, 'sendOutput' | 'reserve'> {
  readonly lines: LinesStore
}

/** Begins the run of a lease over lines in a warm process that is its own; where there is none, `loaded` says why. */
export function runLines(deps: LinesRunDeps, loaded: Loaded, warm: OwnWarm | undefined, held: HeldLease): ActiveRun {
  return new LinesRun(deps, loaded, warm, held)
}

class LinesRun implements ActiveRun {
  readonly #deps: LinesRunDeps
  readonly #warm: OwnWarm | undefined
  readonly #format: InputFormat
  readonly #one: HeldLease
  readonly #outcomes: ReturnType<typeof outcomes>
  /** Ends what is on its way when nobody wants it any more. */
  readonly #lost = new AbortController()
  /** Ends the reading of the input, and the wait for the process, as soon as the run is stopped. */
  readonly #stopped = new AbortController()
  #startedAt: number | undefined
  #spans: ReturnType<typeof childSpans> | undefined
  #computeMs = 0
  #isOver = false
  #crashes = 0
  #toldAt = Number.NEGATIVE_INFINITY
  /** Not measured: runs over lines take longer than single runs of their model. */
  readonly tookMs = 0
  readonly done: Promise<void>

  constructor(deps: LinesRunDeps, loaded: Loaded, warm: OwnWarm | undefined, held: HeldLease) {
    this.#deps = deps
    this.#warm = warm
    this.#one = held
    this.#format = formatOf(loaded)
    this.#outcomes = outcomes(deps.runner, loaded)
    this.done = this.#execute()
  }

  check(): void {
    const now = this.#deps.clock.monotonic()
    const one = this.#one
    if (this.#startedAt !== undefined && now - this.#startedAt >= one.runTimeoutMs) one.stop ??= 'run_timeout'
    if (one.stop === 'lost') this.#lost.abort()
    if (!one.stop || this.#isOver) return
    this.#stopped.abort()
    // Again each time: a process may have come since that was only on its way.
    this.#warm?.kill().catch(() => {})
  }

  async #execute(): Promise<void> {
    const { lease } = this.#one
    const kept = lease.lines ?? { count: 0, failed: 0 }
    const results = new LineResults(
      kept,
      part =>
        this.#deps.lines.keep(lease, part, this.#lost.signal).catch(error => {
          throw new NotKept(error)
        }),
      () => this.#deps.clock.monotonic(),
    )
    let outcome: Outcome | undefined
    try {
      if (!this.#warm) throw this.#outcomes.notLoadable()
      await this.#run(this.#warm, await this.#input(), results)
    } catch (error) {
      outcome = this.#outcomeOf(error)
    } finally {
      this.#isOver = true
      for (const span of this.#spans ?? []) span?.end()
      this.#deps.inputs.close()
      this.#warm?.release()
    }
    await this.#end(outcome, results)
  }

  /** The input's text, or its file. */
  async #input(): Promise<string | InputFile> {
    const { lease } = this.#one
    if (lease.inputFileBytes === undefined) return lease.input
    try {
      return await this.#deps.inputs.read(lease, this.#stopped.signal)
    } catch (error) {
      throw new NotRead(error)
    }
  }

  async #run(warm: OwnWarm, input: string | InputFile, results: LineResults): Promise<void> {
    await using reader = new LineReader(input)
    await this.#skip(reader, results.count)
    for await (const { results: done, fraction } of runPortions(this.#portionDeps(warm), reader)) {
      for (const { json, isFailed } of done) results.add(json, isFailed)
      await results.keepUp()
      this.#tell(fraction, results)
    }
    if (this.#one.stop) throw new Error('the run was stopped')
    if (results.count > 0) this.#tell(1, results, true)
  }

  async #skip(reader: LineReader, count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const lines = await reader.take(left, PORTION_CHARACTERS)
      if (lines.length === 0) return
      left -= lines.length
    }
  }

  #portionDeps(warm: OwnWarm): PortionsDeps {
    const { clock } = this.#deps
    let isKilled = false
    return {
      warm,
      kill: () => {
        isKilled = true
        return warm.kill()
      },
      inputFormat: this.#format,
      parameters: this.#one.lease.parameters,
      onBegin: () => {
        this.#startedAt ??= clock.monotonic()
        this.#spans ??= childSpans([this.#one])
      },
      onCompute: ms => {
        this.#computeMs += ms
      },
      unwanted: this.#stopped.signal,
      isStopped: () => isKilled || this.#one.stop !== undefined,
      onCrash: (error: RunnerGone) => {
        if (++this.#crashes > MOST_CRASHES) throw new TooManyCrashes(error)
      },
    }
  }

  #tell(fraction: number, { count, failed }: LineResults, isLast = false): void {
    const now = this.#deps.clock.monotonic()
    const ran = now - (this.#startedAt ?? now)
    if (!isLast && now - this.#toldAt < Math.max(PROGRESS_MS, ran / 100)) return
    this.#toldAt = now
    const done = count - (this.#one.lease.lines?.count ?? 0)
    const perSecond = ran > 0 ? done / (ran / 1000) : 0
    const secondsLeft = fraction > 0 && perSecond > 0 ? (count * (1 / fraction - 1)) / perSecond : 0
    const metrics = { lines: count, failed, lines_per_second: rounded(perSecond), seconds_left: rounded(secondsLeft) }
    const message = count === 1 ? '1 line done' : `${count} lines done`
    void this.#deps.emit(this.#one, { kind: 'progress', fraction: Math.min(1, fraction), message, metrics })
  }

  /** Why the run could not go on. */
  #outcomeOf(error: unknown): Outcome {
    const { stop } = this.#one
    if (stop && this.#startedAt === undefined) return { case: 'returned', value: true }
    if (stop) return this.#outcomes.ofStop(this.#one)
    if (error instanceof NotRead) {
      const fault = faultOfReading(error.cause)
      if (fault === 'lost') this.#one.stop ??= 'lost'
      if (fault === 'lost' || fault === 'away') return { case: 'returned', value: true }
      return failure(fault.code, fault.message, fault.retryable)
    }
    if (error instanceof NotKept) return this.#ofStoring(error.cause)
    // Another attempt would go as this one has.
    return error instanceof TooManyCrashes
      ? forGood(this.#outcomes.ofError(error.cause))
      : this.#outcomes.ofError(error)
  }

  /** What has come of what was to be kept. */
  #ofStoring(error: unknown): Outcome {
    switch (codeOf(error)) {
      case 'conflict':
        this.#one.stop ??= 'lost'
        return { case: 'evicted', value: true }
      case 'payload_too_large':
        return failure('output_too_large', 'The output is larger than a file may be.', false)
      case 'storage_quota_exceeded':
        return failure(
          'storage_quota_exceeded',
          'The output needs a file, and the account’s files hold as much as they may.',
          false,
        )
      default:
        return failure('output_not_stored', 'What the run has done could not be stored.', true)
    }
  }

  /** Keeps what is done, and answers. `outcome` is why it ended early. */
  async #end(outcome: Outcome | undefined, results: LineResults): Promise<void> {
    const { lease } = this.#one
    let ended = outcome
    let file: string | undefined
    try {
      if (this.#one.stop !== 'lost') {
        await results.flush()
        if (results.count > 0 && endsTask(this.#outcomes.decided(this.#one) ?? ended))
          file = await this.#deps.lines.join(lease, this.#lost.signal)
      }
    } catch (error) {
      ended =
        endsTask(ended) && ended !== undefined ? ended : this.#ofStoring(error instanceof NotKept ? error.cause : error)
    }
    ended ??= file === undefined ? noLines : { case: 'outputFile', value: file }
    this.#answer(ended, results.count, file)
  }

  #answer(outcome: Outcome, items: number, file: string | undefined): void {
    const { decided, resultOf } = this.#outcomes
    const one = this.#one
    this.#deps.settle(one, () => {
      if (one.stop === 'lost') return undefined
      const ended = decided(one) ?? outcome
      const partial = ended.case === 'outputFile' ? undefined : file
      return resultOf(one.lease, ended, {
        computeMs: Math.ceil(this.#computeMs),
        files: [],
        used: undefined,
        items,
        partial,
      })
    })
  }
}

const noLines = failure('model_input_invalid', 'The input has no line.', false)

/** Whether a task whose run ends so is over; a run that has no outcome yet has done all of its lines. */
function endsTask(outcome: Outcome | undefined): boolean {
  if (outcome === undefined || outcome.case === 'cancelled' || outcome.case === 'outputFile') return true
  return outcome.case === 'failure' && !outcome.value.retryable
}

const rounded = (value: number): number => Math.round(value * 10) / 10

function formatOf(loaded: Loaded): InputFormat {
  const manifest =
    loaded?.status === 'ready'
      ? (loaded as Loadable & { manifest?: { inputFormat?: InputFormat } }).manifest
      : undefined
  return manifest?.inputFormat ?? 'text'
}

const forGood = (outcome: Outcome): Outcome =>
  outcome.case === 'failure' ? { ...outcome, value: { ...outcome.value, retryable: false } } : outcome

/** What is done could not be kept; `cause` says why. */
class NotKept extends Error {
  constructor(cause: unknown) {
    super('the results were not kept', { cause })
  }
}

/** More lines than may have ended their process; `cause` is how the last did. */
class TooManyCrashes extends Error {
  constructor(cause: RunnerGone) {
    super('too many lines ended their process', { cause })
  }
}
