/** Loads a model into a process of its own, which ends with its loading where that is stopped or comes to nothing. */
import { type ChildProcess, LoadFailed, RunnerGone } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import { type LoadLimits, loadLimits as usualLimits, withinLoadLimits } from './load-limits.ts'
import { withModelFiles } from './model-files.ts'

export interface LoadOptions {
  /** Gets the last of what a child that ended by itself wrote to standard error, as `model.stderr`, and what is left. */
  readonly log: Log
  /** What loading may take from the question on, where not what it usually may. */
  readonly loadLimits?: LoadLimits
}

/**
 * Resolves once the child has said that the model is loaded. Rejects as `load` of a runner does. `ask` gets the paths of the
 * model's files as the child reads them, and resolves with what that says of them.
 */
export async function loadIntoChild(
  child: ChildProcess<never, unknown>,
  model: ModelPackage,
  signal: AbortSignal,
  { log, loadLimits = usualLimits }: LoadOptions,
  ask: (files: ModelPackage['files']) => Promise<{ readonly kind: string; readonly message?: string }>,
): Promise<void> {
  void child.gone.then(({ reason }) => {
    const text = child.stderr()
    if (reason !== 'killed' && text !== '') log.warn('model.stderr', { model: model.id, reason, text })
  })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answer = await withModelFiles(child, model, files => withinLoadLimits(child, loadLimits, () => ask(files)))
    if (answer.kind === 'loaded') return
    throw new LoadFailed('model_broken', (answer.kind === 'refused' && answer.message) || 'it answered out of turn')
  } catch (error) {
    await child.kill()
    if (signal.aborted) throw stopped()
    if (error instanceof RunnerGone && error.reason === 'out_of_memory') {
      throw new LoadFailed('out_of_memory', 'the model needs more memory than it may have')
    }
    throw error
  } finally {
    // The process outlives its loading, and may be in a later run.
    signal.removeEventListener('abort', stop)
  }
}

/** What a loading rejects with that its signal has ended. */
export const stopped = () => new RunnerGone('killed', 'the loading of the model was stopped')
