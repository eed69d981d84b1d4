/** A model that a child process has loaded: runs are sent to it in portions, and what it answers is checked. */
import {
  bounded,
  type ChildProcess,
  type ItemResult,
  type Loaded,
  type OnEmit,
  type RunItem,
  RunnerGone,
  type RunResult,
} from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import type { Done, readFromChild } from './child-messages.ts'
import { MOST_ON_THEIR_WAY } from './emit-window.ts'
import { portions } from './input-portions.ts'
import { noRoom } from './output-limit.ts'
import type { ItemFault, ItemInFile, ToChild } from './protocol.ts'
import { takeOutput } from './take-output.ts'

/** Portions that a child has at once: one that it runs, and one that it need not wait for. */
export const MOST_SENT = 2

export type FromChild = NonNullable<ReturnType<typeof readFromChild>>
type OnnxChild = ChildProcess<ToChild, FromChild>
type Emitted = Extract<FromChild, { kind: 'emission' }>

interface OnnxModelOptions {
  readonly log: Log
  /** What the outputs of a run that are in messages may have together, in bytes. */
  readonly inlineBytes: number
  /** The same of those in files. */
  readonly filesBytes: number
}

/** A portion whose answer is yet to come. */
interface SentPortion {
  /** How many items of the run are before it. */
  readonly first: number
  readonly count: number
  /** Milliseconds of a monotonic clock. */
  readonly sentAt: number
  /** Links to files that it reads. */
  readonly links: readonly string[]
}

/** Bytes that outputs of a run may still have: in files, and in messages. */
interface RoomLeft {
  files: number
  inline: number
}

export class OnnxModel implements Loaded {
  readonly gone: Promise<RunnerGone>
  readonly #child: OnnxChild
  readonly #options: OnnxModelOptions
  /** Emissions that were not taken yet. */
  #untaken = 0
  isRunning = false

  constructor(child: OnnxChild, options: OnnxModelOptions) {
    this.#child = child
    this.#options = options
    this.gone = child.gone
  }

  async run(items: readonly RunItem[], onEmit: OnEmit = async () => {}): Promise<RunResult> {
    const results: ItemResult[] = []
    const left = { files: this.#options.filesBytes, inline: this.#options.inlineBytes }
    const unsent = portions(items).values()
    const sent: SentPortion[] = []
    let first = 0
    let computeMs = 0
    let answeredAt = 0
    const sendNext = () => {
      const { value: portion } = unsent.next()
      if (!portion) return
      sent.push(this.#send(portion, first, left.files))
      first += portion.length
    }
    this.isRunning = true
    try {
      for (let count = 0; count < MOST_SENT; count++) sendNext()
      for (let portion = sent[0]; portion; portion = sent[0]) {
        const done = await this.#answerTo(portion, onEmit)
        const now = performance.now()
        computeMs += now - Math.max(portion.sentAt, answeredAt)
        answeredAt = now
        this.#unlink(portion)
        sent.shift()
        sendNext()
        for (const item of done.items)
          results.push(Buffer.isBuffer(item) ? inline(item, left) : await this.#resultOf(item, results.length, left))
        if (left.inline < 0) throw await this.#breach('answered more than there is room for')
      }
    } catch (error) {
      // What it has yet to answer would be taken for the answer to the next run, which may be another account's.
      if (sent.length > 0) await this.#child.kill()
      for (const result of results) if (result.ok && 'file' in result) await result.file.handle.close()
      throw error
    } finally {
      for (const portion of sent) this.#unlink(portion)
      this.isRunning = false
    }
    return { items: results, computeMs }
  }

  /** `index`: which item of the run it is. */
  async #resultOf(item: ItemInFile | ItemFault, index: number, left: RoomLeft): Promise<ItemResult> {
    if (!('inFile' in item)) {
      return item.code === 'no_room' ? noRoom : { ok: false, code: item.code, message: item.message, retryable: false }
    }
    try {
      const file = await takeOutput(this.#child.folder, index)
      if (file.bytes <= left.files) {
        left.files -= file.bytes
        return { ok: true, file }
      }
      await file.handle.close()
      return noRoom
    } catch (error) {
      this.#options.log.error('model.output_unreadable', { error })
      return { ok: false, code: 'model_failed', message: 'The output could not be read.', retryable: true }
    }
  }

  /** `first`: how many items of the run are before it. */
  #send(items: readonly RunItem[], first: number, room: number): SentPortion {
    const links: string[] = []
    const given = items.some(({ parameters }) => parameters !== undefined)
    const parameters = given && { parameters: items.map(({ parameters }) => parameters) }
    try {
      const inputs = items.map(({ input }, at) => {
        if (typeof input === 'string') return input
        const path = this.#child.linkFile(input.path, `input-${first + at}`)
        links.push(path)
        return { ...input, path }
      })
      this.#child.send({ kind: 'run', inputs, ...parameters, first, room })
    } catch (error) {
      for (const path of links) this.#child.unlinkFile(path)
      throw error
    }
    return { first, count: items.length, sentAt: performance.now(), links }
  }

  #unlink({ links }: SentPortion): void {
    for (const path of links) this.#child.unlinkFile(path)
  }

  async #answerTo({ first, count }: SentPortion, onEmit: OnEmit): Promise<Done> {
    for (;;) {
      const answer = await this.#child.next()
      if (answer.kind === 'done' && answer.items.length === count) return answer
      if (answer.kind !== 'emission') throw await this.#breach('answered what it was not asked')
      const isTaken = this.#passOn(answer, count, (item, emission) => onEmit(first + item, emission))
      if (!isTaken) throw await this.#breach('emitted what it may not')
    }
  }

  /** Says whether the child kept to its bounds: it may be compromised. */
  #passOn({ item, emission }: Emitted, items: number, onEmit: OnEmit): boolean {
    if (!(item >= 0 && item < items && Number.isInteger(item)) || this.#untaken === MOST_ON_THEIR_WAY) return false
    try {
      const piece = bounded(emission)
      this.#untaken++
      void onEmit(item, piece).then(() => {
        this.#untaken--
        this.#child.send({ kind: 'taken' })
      })
      return true
    } catch {
      return false
    }
  }

  async #breach(what: string): Promise<RunnerGone> {
    const breach = new RunnerGone('crashed', `the process of the model ${what}`)
    await this.#child.kill(breach)
    return breach
  }

  memoryBytes(): number {
    return this.#child.memoryBytes()
  }

  lowerPriority(): void {
    this.#child.lowerPriority({ niceness: BACKGROUND_NICENESS, avoidsFirstCore: false })
  }

  kill(): Promise<void> {
    return this.#child.kill()
  }
}

function inline(output: Buffer, left: RoomLeft): ItemResult {
  left.inline -= output.length
  return { ok: true, output }
}

/** By `nice`: a run that is not in the background gets three times as much of a processor that both want. */
const BACKGROUND_NICENESS = 5
