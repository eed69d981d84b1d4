/** A process that trains one model: a run is sent to it, and what it answers is checked. */
import { createHash } from 'node:crypto'
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
import { isObject } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import { trainedResult } from '../../trained-result.ts'
import type { FromChild, ProgressMessage, ToChild } from './protocol.ts'

type TrainingChild = ChildProcess<ToChild, FromChild>

interface TrainingProcessOptions {
  readonly log: Log
  /** At least, between two checkpoints. */
  readonly checkpointEveryMs: number
}

/** By `nice`: what waits for an answer gets three times as much of a processor that both want. */
const NICENESS = 5

export class TrainingProcess implements Loaded {
  readonly gone: Promise<RunnerGone>
  readonly #child: TrainingChild
  readonly #options: TrainingProcessOptions
  isRunning = false

  constructor(child: TrainingChild, options: TrainingProcessOptions) {
    this.#child = child
    this.#options = options
    this.gone = child.gone
  }

  /** Of one item: no two tasks train together. */
  async run(items: readonly RunItem[], onEmit: OnEmit = async () => {}): Promise<RunResult> {
    const startedAt = performance.now()
    const results: ItemResult[] = []
    this.isRunning = true
    try {
      for (const [at, item] of items.entries())
        results.push(await this.#train(item, progress => this.#emit(at, progress, onEmit)))
    } finally {
      this.isRunning = false
    }
    return { items: results, computeMs: performance.now() - startedAt }
  }

  async #train(item: RunItem, emit: (progress: ProgressMessage) => Promise<void>): Promise<ItemResult> {
    const { input, parameters = {}, files } = item
    const { checkpointEveryMs } = this.#options
    const path = typeof input === 'string' ? undefined : this.#child.linkFile(input.path, 'examples')
    try {
      const examples = path === undefined ? (input as string) : { path }
      this.#child.send({ kind: 'train', examples, parameters, checkpoint: files?.[0]?.bytes, checkpointEveryMs })
      for (;;) {
        const { said, bytes } = await this.#child.next()
        switch (said.kind) {
          case 'progress':
            await emit(said)
            break
          case 'checkpoint':
            await this.#store(item, bytes)
            break
          case 'best':
            item.keepBest?.(trained(said.card, bytes))
            break
          case 'failed':
            return { ok: false, code: said.code, message: said.message, retryable: false }
          case 'done': {
            const result = trained(said.card, bytes)
            // A cancel that comes before it is stored finds no better one.
            if (parameters.on_cancel === 'keep_best') item.keepBest?.(result)
            return result
          }
          default:
            throw await this.#breach('answered what it was not asked')
        }
        this.#child.send({ kind: 'go_on' })
      }
    } finally {
      if (path !== undefined) this.#child.unlinkFile(path)
    }
  }

  async #emit(at: number, progress: ProgressMessage, onEmit: OnEmit): Promise<void> {
    await onEmit(at, bounded(progress))
  }

  /** A run goes on without: where its lease is lost it hears of that by another way. */
  async #store({ storeCheckpoint }: RunItem, bytes: Buffer): Promise<void> {
    await storeCheckpoint?.(bytes).catch(error => this.#options.log.warn('checkpoint.not_stored', { error }))
  }

  async #breach(what: string): Promise<RunnerGone> {
    const breach = new RunnerGone('crashed', `the process of the training ${what}`)
    await this.#child.kill(breach)
    return breach
  }

  memoryBytes(): number {
    return this.#child.memoryBytes()
  }

  lowerPriority(): void {
    this.#child.lowerPriority({ niceness: NICENESS, avoidsFirstCore: false })
  }

  kill(): Promise<void> {
    return this.#child.kill()
  }
}

/** The model goes as a file, of which its id is made. */
function trained(card: Readonly<Record<string, unknown>>, bytes: Buffer): ItemResult {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  return trainedResult({ digest, metrics: isObject(card.metrics) ? card.metrics : {}, card }, bytes)
}
