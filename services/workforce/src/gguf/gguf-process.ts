/** The process of a local language model: loaded once, asked one thing after the other, started again after a crash. */
import { fileURLToPath } from 'node:url'
import type { Log } from '@millhand/telemetry'
import { type ChildProcess, LoadFailed, MOST_HEAD_BYTES, RunnerGone, startChild } from '@millhand/worker'
import { type AskMessage, type Heard, MOST_ANSWER_BYTES, readFromChild, type ToChild } from './protocol.ts'

export interface GgufProcessOptions {
  readonly file: string
  /** Resident memory that it may have: the file is mapped, and counts. */
  readonly memoryLimitBytes: number
  readonly threads: number
  readonly log: Log
  readonly loadTimeoutMs?: number
}

export interface GgufProcess {
  /** Rejects with the signal's reason as soon as it fires, and with `RunnerGone` when the process ends first. */
  ask(question: Omit<AskMessage, 'kind'>, signal: AbortSignal | undefined): Promise<Heard>
  /** Idempotent. Resolves when the process is gone. */
  close(): Promise<void>
}

type Child = ChildProcess<ToChild, Heard>

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
/** A large file comes from a slow disk. */
const LOAD_TIMEOUT_MS = 300_000
/** Until it has heard that it is to stop: 128 tokens of a question, or one of an answer. */
const STOP_MS = 10_000

/** Resolves once the model is loaded. Rejects with `LoadFailed` where it can't be. */
export async function startGguf(options: GgufProcessOptions): Promise<GgufProcess> {
  const { log } = options
  const closing = new AbortController()
  let process: Promise<Child> | undefined
  let last: Promise<unknown> = Promise.resolve()

  function started(): Promise<Child> {
    process ??= load(options, closing.signal).then(
      child => {
        void child.gone.then(({ reason }) => {
          process = undefined
          if (!closing.signal.aborted) log.warn('language_model.ended', { reason })
        })
        return child
      },
      error => {
        process = undefined
        throw error
      },
    )
    return process
  }

  async function answer(question: Omit<AskMessage, 'kind'>, signal: AbortSignal | undefined): Promise<Heard> {
    signal?.throwIfAborted()
    const child = await started()
    let late: NodeJS.Timeout | undefined
    const stop = () => {
      child.send({ kind: 'stop' })
      late = setTimeout(() => void child.kill(), STOP_MS)
    }
    child.send({ kind: 'ask', ...question })
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    try {
      return await child.next()
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
    }
  }

  await started()
  return {
    ask(question, signal) {
      const turn = last.then(() => answer(question, signal))
      last = turn.catch(() => {})
      return signal === undefined ? turn : unlessAborted(turn, signal)
    },
    async close() {
      closing.abort()
      await process?.then(
        child => child.kill(),
        () => {},
      )
    },
  }
}

async function load(options: GgufProcessOptions, signal: AbortSignal): Promise<Child> {
  if (signal.aborted) throw new RunnerGone('killed', 'the language model was stopped')
  const { file, threads, memoryLimitBytes, log, loadTimeoutMs = LOAD_TIMEOUT_MS } = options
  const child: Child = startChild({
    script: CHILD,
    read: readFromChild,
    ahead: 0,
    messageBytes: MOST_HEAD_BYTES + MOST_ANSWER_BYTES,
    memoryLimitBytes,
    fileBytes: 0,
    log,
  })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  const limit = setTimeout(stop, loadTimeoutMs)
  try {
    child.send({ kind: 'load', file, threads })
    const said = await child.next()
    if (said.kind === 'loaded') return child
    throw new LoadFailed('engine_broken', said.kind === 'refused' ? said.message : 'it answered out of turn')
  } catch (error) {
    await child.kill()
    throw error
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', stop)
  }
}

function unlessAborted<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}
