/** How runs end, as leases are told. */

import type { Lease, Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { withoutOwnPaths, withoutPaths } from '@millhand/api/redact-paths'
import {
  type Loadable,
  type Loadables,
  LoadFailed,
  type ModelUsage,
  type Runner,
  RunnerGone,
} from '@millhand/child-process'
import { excerpt } from '@millhand/model'
import type { HeldLease } from './lease.ts'

export type Outcome = Result['outcome']

/** What a run came to, beside its outcome. */
interface Account {
  readonly computeMs: number
  /** Artifacts. */
  readonly files: readonly string[]
  readonly used: ModelUsage | undefined
  /** How many inputs it ran. */
  readonly items?: number
  /** The file of what was done, where the outcome names none. */
  readonly partial?: string | undefined
}

/** In the words of what the runner loads. */
export function outcomes(
  { engine, loads }: Pick<Runner<Loadable>, 'engine' | 'loads'>,
  loaded: ReturnType<Loadables<Loadable>['get']>,
) {
  const notTheTask = 'That is no fault of the task; the log of the service says what is in the way.'
  // As the requests that create them name it: task_request.proto of compute, and task.proto of the workforce.
  const timeout = loads === 'engine' ? 'timeout_s' : 'run_timeout_s'
  return {
    /** However the run itself ended. */
    decided({ stop }: HeldLease): Outcome | undefined {
      if (stop === 'cancelled') return { case: 'cancelled', value: true }
      if (stop === 'output_too_large')
        return failure('output_too_large', 'The run emitted more than a task may.', false)
      if (stop === 'emission_invalid')
        return failure(`${loads}_failed`, 'The run emitted what can not be stored.', false)
      return undefined
    },

    /** Of a run that was ended before it was over. */
    ofStop({ stop, runTimeoutMs, waitsFor }: HeldLease): Outcome {
      if (stop === 'run_timeout') {
        const why = [
          `The run took longer than the ${runTimeoutMs / 1000} s of its \`${timeout}\`, and was stopped.`,
          ...(waitsFor === undefined
            ? [`Create the task again with a larger \`${timeout}\` or less input.`]
            : [waitsFor, `Create the task again later, or with a larger \`${timeout}\`.`]),
        ]
        return failure('run_timeout', why.join(' '), false)
      }
      return { case: 'evicted', value: true }
    },

    ofError(error: unknown): Outcome {
      if (error instanceof LoadFailed) return failure(error.code, error.message, false)
      if (error instanceof RunnerGone && error.reason === 'out_of_memory') {
        return failure('out_of_memory', 'The run needed more memory than it may have, and was stopped.', false)
      }
      if (error instanceof RunnerGone && error.reason === 'processor_limit') {
        return failure(error.reason, error.message, false)
      }
      if (error instanceof RunnerGone && error.reason === 'evicted') return { case: 'evicted', value: true }
      if (error instanceof RunnerGone && error.reason === 'not_started') {
        return failure(`${loads}_not_started`, `No process could be started for the ${loads}. ${notTheTask}`, true)
      }
      if (error instanceof RunnerGone) {
        return failure(`${loads}_crashed`, `The process that ran the ${loads} ended unexpectedly.`, true)
      }
      return failure(`${loads}_failed`, `The ${loads} could not be run. ${notTheTask}`, true)
    },

    notLoadable(): LoadFailed {
      const problem = loaded?.status === 'broken' ? `is broken: ${loaded.problem}` : 'is not there any more.'
      return new LoadFailed(`${loads}_broken`, `The ${loads} ${problem}`)
    },

    resultOf: (
      lease: Lease,
      outcome: Outcome,
      { computeMs, files, used, items = 1, partial = '' }: Account,
    ): Result => ({
      $typeName: 'millhand.lease.v1.Result',
      leaseId: lease.id,
      tenant: lease.tenant,
      workId: lease.workId,
      attempt: lease.attempt,
      outcome,
      computeMs: atMost(MOST_COMPUTE_MS, computeMs),
      engineKind: engine.kind,
      engineName: engine.name,
      provider: engine.provider,
      gpuType: engine.gpuType ?? '',
      groupVersion: loaded?.status === 'ready' ? loaded.version : '',
      artifactFiles: [...files],
      inputTokens: atMost(MOST_USED, used?.inputTokens),
      outputTokens: atMost(MOST_USED, used?.outputTokens),
      modelCostMicros: atMost(MOST_USED, used?.costMicros),
      items,
      partialOutputFile: partial,
      ...(lease.traceparent !== undefined && { traceparent: lease.traceparent }),
    }),
  }
}

/** The contract's bounds of a result, over which it is refused, and its run would count for nothing. */
const MOST_COMPUTE_MS = 604_800_000
const MOST_USED = 1_000_000_000

const atMost = (most: number, value = 0): number => Math.min(most, Math.max(0, Math.ceil(value)))

/** Without paths of this machine, and cut to the contract's bound, over which a result is refused. */
export const failure = (code: string, said: string, retryable: boolean): Outcome => {
  const message = excerpt(QUOTING.has(code) ? withoutOwnPaths(said) : withoutPaths(said), MOST_MESSAGE)
  return { case: 'failure', value: { $typeName: 'millhand.lease.v1.Failure', code, message, retryable } }
}

/** Codes whose messages quote the caller, whose own paths stay. All others may have the words of a library. */
const QUOTING: ReadonlySet<string> = new Set(['model_input_invalid', 'brief_refused', 'answer_invalid'])

/** Characters, before an ellipsis. The contract's bound is 2,048. */
const MOST_MESSAGE = 2_000
