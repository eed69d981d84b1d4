/** What runs tasks in a process: real models for what is live, and for the sandbox what computes nothing. */
import { createExecutor, type Executor, type ExecutorOptions } from '@millhand/executor'
import { mockRunner } from '@millhand/executor/mock'

/** By name; none where there are no slots. `slots` are those of what is live: the sandbox takes none of them. */
export function createExecutors(options: Omit<ExecutorOptions, 'pool'>): ReadonlyMap<string, Executor> {
  if (options.slots === 0) return new Map()
  const live = createExecutor({ ...options, pool: 'live/onnx' })
  const runner = mockRunner({ clock: options.clock })
  const sandbox = createExecutor({ ...options, pool: 'test/onnx', runner, slots: SANDBOX_SLOTS })
  return new Map([
    ['executor', live],
    ['sandbox', sandbox],
  ])
}

/** How many runs of the sandbox at once: each is a timer, and a lease that is renewed every second. */
const SANDBOX_SLOTS = 256
