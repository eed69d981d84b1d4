/** Holds a process to its limits from outside: a process that runs hostile code can switch off what watches it from within. */
import { type ProcessUsage, treeUsageOf, usageOf, withSwap } from './process-usage.ts'
import { RunnerGone } from './task-runner.ts'

export interface UsageWatch {
  /** What the process and those below it use now, or used last where that can't be read; nothing once it is gone. */
  usage(): ProcessUsage
  /**
   * The memory of that, in bytes, of a reading that is a second old at most: a runner asks at each run, and a reading costs as
   * much as a small model's run.
   */
  memoryBytes(): number
  /**
   * From now on the process may use `ms` of processor time, until the function that this returns is called. Beyond it the
   * process is stopped. One limit at a time.
   */
  limitProcessor(ms: number): () => void
  /**
   * From now on the process may use as many cores as `cores` says each time: once it has used `aheadMs` more of processor
   * time than that, it is stopped. What it leaves unused it does not get later.
   */
  limitCores(cores: () => number, aheadMs?: number): void
  close(): void
}

interface WatchOptions {
  /** The first of its processes: those below it count too. Undefined before it is there, and after it. */
  readonly pid: () => number | undefined
  readonly memoryLimitBytes: number
  /** Set where the kernel holds the process to no bound of memory: it is looked at more often, and what is swapped out counts. */
  readonly isOnlyBound?: boolean
  /** Hears of the first limit that the process is over, and of those after it. */
  readonly stop: (why: RunnerGone) => void
  /** For tests. As `treeUsageOf`. */
  readonly read?: (pid: number) => ProcessUsage | undefined
  /** For tests. Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** Reading one process takes some 20 µs, and 10 µs more for each of its threads. */
const PERIOD_MS = 200
const ONLY_BOUND_PERIOD_MS = 50

/** How old what `memoryBytes` tells may be. */
const MEMORY_AGE_MS = 1_000

/** Compiling and collecting garbage take more than the cores of a run, for a while. */
const AHEAD_MS = 10_000

const nothing: ProcessUsage = { memoryBytes: 0, processorMs: 0 }

/** Watches until `close`. */
export function watchUsage(options: WatchOptions): UsageWatch {
  const { pid, memoryLimitBytes, isOnlyBound = false, stop, now = () => performance.now() } = options
  const { read = (pid: number) => treeUsageOf(pid, isOnlyBound ? withSwap : usageOf) } = options
  let isClosed = false
  let limit: { readonly ms: number; readonly from: number } | undefined
  let isAhead: (processorMs: number) => boolean = () => false
  let last = nothing
  /** The first time that somebody asks it is read: the latest reading may be from before a model was loaded. */
  let memoryReadAt: number | undefined
  const isThere = () => !isClosed && pid() !== undefined
  const usage = () => {
    const number = isClosed ? undefined : pid()
    if (number === undefined) return nothing
    try {
      last = read(number) ?? nothing
      if (memoryReadAt !== undefined) memoryReadAt = now()
    } catch {
      // As nothing it would let the next one count the whole life of the process at once.
    }
    return last
  }

  const timer = setInterval(
    () => {
      const { memoryBytes, processorMs } = usage()
      if (memoryBytes > memoryLimitBytes)
        stop(new RunnerGone('out_of_memory', 'the run needed more memory than it may have'))
      else if (limit !== undefined && processorMs - limit.from > limit.ms) stop(overProcessorLimit(limit.ms))
      else if (isAhead(processorMs)) stop(overCores())
    },
    isOnlyBound ? ONLY_BOUND_PERIOD_MS : PERIOD_MS,
  )
  timer.unref()

  return {
    usage,
    memoryBytes() {
      if (memoryReadAt !== undefined && now() - memoryReadAt < MEMORY_AGE_MS && isThere()) return last.memoryBytes
      memoryReadAt = now()
      return usage().memoryBytes
    },
    limitProcessor(ms) {
      limit = { ms, from: usage().processorMs }
      return () => {
        limit = undefined
      }
    },
    limitCores(cores, aheadMs = AHEAD_MS) {
      let [at, used] = [now(), usage().processorMs]
      let ahead = 0
      isAhead = processorMs => {
        const time = now()
        ahead = Math.max(0, ahead + Math.max(0, processorMs - used) - (time - at) * cores())
        at = time
        used = processorMs
        return ahead > aheadMs
      }
    },
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}

const overProcessorLimit = (ms: number) =>
  new RunnerGone(
    'processor_limit',
    `The run used more than ${Math.round(ms / 1_000)} s of processor time, the most that it may for an input of this size, and was stopped.`,
  )

const overCores = () =>
  new RunnerGone(
    'processor_limit',
    'The process used more processor time than the threads of a run can, and was stopped.',
  )
