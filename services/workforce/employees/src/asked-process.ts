/** The process of a model: loaded once, asked one thing after the other, started again after a crash. */
import { type ChildOptions, type ChildProcess, LoadFailed, RunnerGone, startChild } from '@millhand/child-process'
import type { Loaded, ToAsked } from './asked-child.ts'
import { restarted } from './restarted.ts'

export interface AskedOptions<Load, Heard> extends Omit<ChildOptions<Heard>, 'ahead' | 'fileBytes'> {
  /** For the log, which gets `<name>.ended` and `<name>.not_loaded`. */
  readonly name: string
  /** What it is made of. */
  readonly load: Load
  readonly loadTimeoutMs: number
  /** It is killed where it is still at an answer so long after it was told to stop. */
  readonly stopMs: number
  /** How far it stands back, once it is loaded: `lowerPriority`. */
  readonly niceness?: number
}

export interface AskedProcess<Question, Heard> {
  /** Rejects with the signal's reason as soon as it fires, and with `RunnerGone` when the process ends first. */
  ask(question: Question, signal: AbortSignal | undefined): Promise<Heard>
  /** Idempotent. Resolves when the process is gone. */
  close(): Promise<void>
}

/** Resolves once the model is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be. */
export async function startAsked<Load, Question, Heard extends { readonly kind: string; readonly message?: string }>(
  options: AskedOptions<Load, Heard>,
): Promise<AskedProcess<Question, Heard>> {
  const { name, log, stopMs } = options
  const process = await restarted({ name, log, start: signal => load<Load, Question, Heard>(options, signal) })
  let last: Promise<unknown> = Promise.resolve()

  async function answer(question: Question, signal: AbortSignal | undefined): Promise<Heard> {
    signal?.throwIfAborted()
    const child = await process.current()
    let late: NodeJS.Timeout | undefined
    const stop = () => {
      child.send({ kind: 'stop' })
      late = setTimeout(() => void child.kill(), stopMs)
    }
    child.send({ kind: 'ask', question })
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    try {
      return await child.next()
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
    }
  }

  return {
    ask(question, signal) {
      const turn = last.then(() => answer(question, signal))
      last = turn.catch(() => {})
      return signal === undefined ? turn : unlessAborted(turn, signal)
    },
    close: process.close,
  }
}

async function load<Load, Question, Heard extends { readonly kind: string; readonly message?: string }>(
  options: AskedOptions<Load, Heard>,
  signal: AbortSignal,
): Promise<ChildProcess<ToAsked<Load, Question>, Heard>> {
  if (signal.aborted) throw new RunnerGone('killed', 'the model was stopped')
  const child = startChild<ToAsked<Load, Question>, Heard>({ ...options, ahead: 0, fileBytes: 0 })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  const limit = setTimeout(stop, options.loadTimeoutMs)
  try {
    child.send({ kind: 'load', load: options.load })
    const said = await child.next()
    if (said.kind === 'loaded') {
      if (options.niceness !== undefined) child.lowerPriority({ niceness: options.niceness, avoidsFirstCore: false })
      return child
    }
    throw new LoadFailed('engine_broken', (said.kind === 'refused' && said.message) || 'it answered out of turn')
  } catch (error) {
    await child.kill()
    throw error
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', stop)
  }
}

/** Rejects with the signal's reason as soon as it fires. */
export function unlessAborted<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}

/** What a child says of its loading, copied; undefined for anything else. */
export function readLoaded({ kind, message }: Readonly<Record<string, unknown>>): Loaded | undefined {
  if (kind === 'loaded') return { kind }
  return kind === 'refused' && typeof message === 'string' ? { kind, message: message.slice(0, 500) } : undefined
}
