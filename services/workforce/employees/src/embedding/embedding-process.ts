/** The process of an embedding model: asked one thing after the other, started again after a crash. */
import { fileURLToPath } from 'node:url'
import { type ChildProcess, LoadFailed, MAX_HEAD_BYTES, RunnerGone, startChild } from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import { restarted } from '../restarted.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { type Heard, type Load, MOST_VECTORS_BYTES, readFromChild, type ToChild } from './protocol.ts'

export interface EmbeddingProcessOptions {
  readonly load: Load
  readonly memoryLimitBytes: number
  readonly log: Log
  /** It is killed where it is still at an answer so many milliseconds after it was told to stop. */
  readonly stopMs: number
}

export interface EmbeddingProcess {
  /** Rejects with the signal's reason as soon as it fires, and with `RunnerGone` when the process ends first. */
  ask(texts: readonly string[], signal: AbortSignal): Promise<Heard>
  /** Idempotent. Resolves when the process is gone. */
  close(): Promise<void>
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
/** Few packages: ONNX Runtime reads the command line of its process by recursion, and a long one overflows its stack. */
const CODE = {
  'services/workforce/employees': ['lru-cache'],
  'libs/embedding': ['@huggingface/tokenizers'],
  'libs/onnxruntime': ['onnxruntime-node'],
  'libs/model': [],
  'libs/child-process': [],
  'libs/telemetry': [],
}
const LOAD_TIMEOUT_MS = 120_000
/** As the processes of kinds, who alone ask it. */
const NICENESS = 10

/** Resolves once the model is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be. */
export async function startEmbedding(options: EmbeddingProcessOptions): Promise<EmbeddingProcess> {
  const { log, stopMs } = options
  const process = await restarted({ name: 'embedding_model', log, start: signal => load(options, signal) })
  let last: Promise<unknown> = Promise.resolve()

  async function answer(texts: readonly string[], signal: AbortSignal): Promise<Heard> {
    signal.throwIfAborted()
    const child = await process.current()
    let late: NodeJS.Timeout | undefined
    const stop = () => {
      child.send({ kind: 'stop' })
      late = setTimeout(() => void child.kill(), stopMs)
    }
    child.send({ kind: 'ask', question: { texts } })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      return await child.next()
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', stop)
    }
  }

  return {
    ask(texts, signal) {
      const turn = last.then(() => answer(texts, signal))
      last = turn.catch(() => {})
      return unlessAborted(turn, signal)
    },
    close: process.close,
  }
}

async function load(
  { load, memoryLimitBytes, log }: EmbeddingProcessOptions,
  signal: AbortSignal,
): Promise<ChildProcess<ToChild, Heard>> {
  if (signal.aborted) throw new RunnerGone('killed', 'the model was stopped')
  const child = startChild<ToChild, Heard>({
    script: CHILD,
    lock: { code: CODE, readable: [load.model, load.tokenizer], native: true },
    read: readFromChild,
    ahead: 0,
    messageBytes: MAX_HEAD_BYTES + MOST_VECTORS_BYTES,
    memoryLimitBytes,
    fileBytes: 0,
    log,
  })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  const limit = setTimeout(stop, LOAD_TIMEOUT_MS)
  try {
    child.send({ kind: 'load', load })
    const said = await child.next()
    if (said.kind !== 'loaded')
      throw new LoadFailed('engine_broken', (said.kind === 'refused' && said.message) || 'it answered out of turn')
    child.lowerPriority({ niceness: NICENESS, avoidsFirstCore: false })
    return child
  } catch (error) {
    await child.kill()
    throw error
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', stop)
  }
}
