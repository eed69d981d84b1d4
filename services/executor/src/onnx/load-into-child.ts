/** Loads a model into a process of its own, which ends with its loading where that is stopped or comes to nothing. */
import {
  type ChildProcess,
  LoadFailed,
  type LoadLimits,
  RunnerGone,
  loadLimits as usualLimits,
  withinLoadLimits,
} from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import type { Log } from '@millhand/telemetry'
import { withModelFiles } from './model-files.ts'

export interface LoadOptions {
  /** Gets the last of what a child that ended by itself wrote to standard error, as `model.stderr`, and what is left. */
  readonly log: Log
  /** What loading may take from the question on, where not what it usually may. */
  readonly loadLimits?: LoadLimits
}

/** What is to be loaded, and what comes of it. */
interface LoadSteps<L> {
  /** Cores that the process may use while it loads and runs; at rest a tenth of one. Without a limit where left out. */
  readonly cores?: number
  /** Gets the paths of the model's files as the child reads them, and resolves with what that says of them. */
  ask(files: ModelPackage['files']): Promise<{ readonly kind: string; readonly message?: string }>
  /** The model in the child, once that has loaded it. */
  made(): L
}

type Child = Pick<
  ChildProcess<never, unknown>,
  'gone' | 'stderr' | 'kill' | 'limitCores' | 'limitProcessor' | 'linkFile' | 'unlinkFile'
>

/** While it rests its watchdog takes 0.2 % of a core. */
const CORES_AT_REST = 0.1

/** Resolves once the child has said that the model is loaded. Rejects as `load` of a runner does. */
export async function loadIntoChild<L extends { readonly isRunning: boolean }>(
  child: Child,
  model: ModelPackage,
  signal: AbortSignal,
  { log, loadLimits = usualLimits }: LoadOptions,
  { cores, ask, made }: LoadSteps<L>,
): Promise<L> {
  let loaded: L | undefined
  if (cores !== undefined) child.limitCores(() => (loaded?.isRunning === false ? CORES_AT_REST : cores))
  void child.gone.then(({ reason }) => {
    const text = child.stderr()
    if (reason !== 'killed' && text !== '') log.warn('model.stderr', { model: model.id, reason, text })
  })
  const stop = () => void child.kill()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answer = await withModelFiles(child, model, files => withinLoadLimits(child, loadLimits, () => ask(files)))
    if (answer.kind === 'loaded') {
      loaded = made()
      return loaded
    }
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
