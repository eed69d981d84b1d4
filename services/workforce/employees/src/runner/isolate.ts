/** Has code that nobody has read run in a process of its own, which does that and nothing after it. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ChildMessage, type Lock, MAX_HEAD_BYTES, RunnerGone, startChild } from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import type { LoadableKind } from './kinds.ts'
import { type IsolatedMessage, MOST_ISOLATED_ANSWER_BYTES } from './protocol.ts'

const CHILD = fileURLToPath(new URL('./isolated-child.ts', import.meta.url))
/** Processor time: Pyodide takes 3 s to load, and tests have 5 s, where the interpreter looks at its clock. */
const MOST_SECONDS = 30

/** It reads what employees share, and its own employee's folder. It writes nothing and starts nothing. */
export const lockOf = ({ native, spec }: Pick<LoadableKind, 'native' | 'spec'>): Lock => ({
  code: { 'services/workforce/employees': 'all', 'libs/child-process': [] },
  readable: [resolve(spec.folder, '..')],
  native,
})

/** Never rejects. `signal` ends it. */
export async function runIsolated(
  { id, spec }: LoadableKind,
  work: string,
  signal: AbortSignal,
  { memoryLimitBytes, log }: { readonly memoryLimitBytes: number; readonly log: Log },
): Promise<IsolatedMessage> {
  try {
    const child = startChild<{ folder: string; work: string }, string>({
      script: CHILD,
      lock: lockOf({ native: false, spec }),
      read: answerOf,
      ahead: 0,
      messageBytes: MAX_HEAD_BYTES + MOST_ISOLATED_ANSWER_BYTES,
      memoryLimitBytes,
      fileBytes: 0,
      processorSeconds: MOST_SECONDS,
      log,
    })
    const stop = () => void child.kill()
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) stop()
      child.send({ folder: spec.folder, work })
      return { kind: 'isolated', text: await child.next() }
    } finally {
      signal.removeEventListener('abort', stop)
      await child.kill()
    }
  } catch (error) {
    const reason = error instanceof RunnerGone ? error.reason : 'not_started'
    if (reason === 'crashed' || reason === 'out_of_memory') return { kind: 'isolated', ended: reason }
    if (reason === 'not_started') log.warn('engine.not_isolated', { engine: id, error })
    return {
      kind: 'unisolated',
      fault: { code: 'engine_unavailable', message: 'No process could be had for the tests.', retryable: true },
    }
  }
}

/** JSON, or it has crashed. */
function answerOf({ parts: [answer, ...more] }: ChildMessage): string | undefined {
  if (answer === undefined || more.length > 0 || answer.length > MOST_ISOLATED_ANSWER_BYTES) return undefined
  const text = answer.toString()
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}
