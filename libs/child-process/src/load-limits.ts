/** How long a model may take to load. Its own fault is the processor time that it takes; all other time is the machine's. */
import type { ChildProcess } from './child-process.ts'
import { LoadFailed, RunnerGone } from './task-runner.ts'

export interface LoadLimits {
  /** Processor time of the process from the beginning of the load, in milliseconds. */
  readonly processorMs: number
  /** Milliseconds of all time. */
  readonly timeoutMs: number
}

/** Many times what good models take, and all time until it has that where others have the processor, or the disk is slow. */
export const loadLimits: LoadLimits = { processorMs: 30_000, timeoutMs: 300_000 }

/**
 * Loads within the limits, which then count no more. Rejects with `LoadFailed` where the model takes too much of the
 * processor, and with `RunnerGone('not_started')` where it has not had enough of it in time: another try may load it.
 */
export async function withinLoadLimits<R>(
  child: Pick<ChildProcess<never, unknown>, 'limitProcessor' | 'kill'>,
  { processorMs, timeoutMs }: LoadLimits,
  load: () => Promise<R>,
): Promise<R> {
  const endLimit = child.limitProcessor(processorMs)
  const late = new RunnerGone('not_started', `the model was not loaded within ${timeoutMs / 1_000} s`)
  const timer = setTimeout(() => void child.kill(late), timeoutMs)
  try {
    return await load()
  } catch (error) {
    if (error instanceof RunnerGone && error.reason === 'processor_limit')
      throw new LoadFailed('model_broken', 'the model took too long to load')
    throw error
  } finally {
    // The process outlives its loading: neither may end it in a later run.
    endLimit()
    clearTimeout(timer)
  }
}
