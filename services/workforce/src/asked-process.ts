/** The process of a model: loaded once, asked one thing after the other, started again after a crash. */
import { type ChildOptions, type ChildProcess, LoadFailed, RunnerGone, startChild } from '@millhand/worker'

export interface AskedOptions<To extends object, Heard> extends Omit<ChildOptions<Heard>, 'ahead' | 'fileBytes'> {
  /** For the log, which gets `<name>.ended` and `<name>.not_loaded`. */
  readonly name: string
  /** What it is told first: it says `loaded` or `refused`. */
  readonly load: To
  readonly loadTimeoutMs: number
  /** What has it end the answer that it is at; it is killed where it has not within `stopMs`. */
  readonly stop: To
  readonly stopMs: number
  /** How far it stands back, once it is loaded: `standBack`. */
  readonly niceness?: number
}

export interface AskedProcess<To, Heard> {
  /** Rejects with the signal's reason as soon as it fires, and with `RunnerGone` when the process ends first. */
  ask(question: To, signal: AbortSignal | undefined): Promise<Heard>
  /** Idempotent. Resolves when the process is gone. */
  close(): Promise<void>
}

/** Resolves once the model is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be. */
export async function startAsked<To extends object, Heard extends { readonly kind: string; readonly message?: string }>(
  options: AskedOptions<To, Heard>,
): Promise<AskedProcess<To, Heard>> {
  const { name, log, stopMs } = options
  const closing = new AbortController()
  let process: Promise<ChildProcess<To, Heard>> | undefined
  let last: Promise<unknown> = Promise.resolve()

  function started(): Promise<ChildProcess<To, Heard>> {
    process ??= load(options, closing.signal).then(
      child => {
        void child.gone.then(({ reason }) => {
          process = undefined
          if (!closing.signal.aborted) log.warn(`${name}.ended`, { reason })
        })
        return child
      },
      error => {
        process = undefined
        // Its message may have a path. Whoever starts it first is told it.
        const reason = error instanceof LoadFailed ? error.code : error instanceof RunnerGone ? error.reason : 'unknown'
        if (!closing.signal.aborted) log.warn(`${name}.not_loaded`, { reason })
        throw error
      },
    )
    return process
  }

  async function answer(question: To, signal: AbortSignal | undefined): Promise<Heard> {
    signal?.throwIfAborted()
    const child = await started()
    let late: NodeJS.Timeout | undefined
    const stop = () => {
      child.send(options.stop)
      late = setTimeout(() => void child.kill(), stopMs)
    }
    child.send(question)
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

async function load<To extends object, Heard extends { readonly kind: string; readonly message?: string }>(
  options: AskedOptions<To, Heard>,
  signal: AbortSignal,
): Promise<ChildProcess<To, Heard>> {
  if (signal.aborted) throw new RunnerGone('killed', 'the model was stopped')
  const child = startChild<To, Heard>({ ...options, ahead: 0, fileBytes: 0 })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  const limit = setTimeout(stop, options.loadTimeoutMs)
  try {
    child.send(options.load)
    const said = await child.next()
    if (said.kind === 'loaded') {
      if (options.niceness !== undefined) child.standBack(options.niceness)
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

function unlessAborted<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}
