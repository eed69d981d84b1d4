/** A process that is started again by who needs it, after it has ended. */
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'

interface RestartedOptions<P> {
  /** For the log, which gets `<name>.ended` and `<name>.not_loaded`. */
  readonly name: string
  readonly log: Log
  /** Rejects with `LoadFailed` or `RunnerGone`, and leaves no process then; also once the signal fires. */
  readonly start: (signal: AbortSignal) => Promise<P>
}

export interface Restarted<P> {
  /** The process; rejects as `start` does where it has to be started. */
  current(): Promise<P>
  /** Idempotent. Resolves when the process is gone; there is none afterwards. */
  close(): Promise<void>
}

interface Ends {
  readonly gone: Promise<RunnerGone>
  kill(): Promise<void>
}

/** Resolves once the process is started for the first time. */
export async function restarted<P extends Ends>({ name, log, start }: RestartedOptions<P>): Promise<Restarted<P>> {
  const closing = new AbortController()
  let process: Promise<P> | undefined

  function current(): Promise<P> {
    process ??= start(closing.signal).then(
      started => {
        void started.gone.then(({ reason }) => {
          process = undefined
          if (!closing.signal.aborted) log.warn(`${name}.ended`, { reason })
        })
        return started
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

  await current()
  return {
    current,
    async close() {
      closing.abort()
      await process?.then(
        started => started.kill(),
        () => {},
      )
    },
  }
}
