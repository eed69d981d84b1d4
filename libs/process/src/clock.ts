/** Time as an argument, so that tests need no sleep. */

export interface Clock {
  /** Milliseconds since 1970, as the machine's calendar has it: it may jump. For what people and other machines see. */
  now(): number
  /** Milliseconds from some start; never goes back. For measuring and for leases. */
  monotonic(): number
  /** Resolves after `ms`; rejects with the signal's reason as soon as it fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Calls `fn` once after `ms`, unless it is cancelled before. */
  timer(ms: number, fn: () => void): Timer
}

export interface Timer {
  /** Idempotent. */
  cancel(): void
}

export const systemClock: Clock = {
  now: Date.now,
  monotonic: performance.now.bind(performance),
  sleep: (ms, signal) => sleepBy(systemClock, ms, signal),
  timer: systemTimer,
}

export interface ManualClock extends Clock {
  /**
   * Lets `ms` pass. Timers fire in the order of their time, each at its own time, and what a timer set off goes on
   * before the next fires: timers that it sets within `ms` fire too.
   */
  advance(ms: number): Promise<void>
  /** Sets the calendar on by `ms`, or back; nothing else notices. */
  step(ms: number): void
}

/** A clock that stands still until it is told to go on; `start` is in milliseconds since 1970. */
export function manualClock(start = 0): ManualClock {
  let elapsed = 0
  let stepped = 0
  const pending: { due: number; fn: () => void }[] = []
  const clock: ManualClock = {
    now: () => start + elapsed + stepped,
    monotonic: () => elapsed,
    sleep: (ms, signal) => sleepBy(clock, ms, signal),
    timer(ms, fn) {
      const entry = { due: elapsed + Math.max(0, ms), fn }
      const later = pending.findIndex(({ due }) => due > entry.due)
      pending.splice(later === -1 ? pending.length : later, 0, entry)
      return {
        cancel() {
          const at = pending.indexOf(entry)
          if (at !== -1) pending.splice(at, 1)
        },
      }
    },
    async advance(ms) {
      const end = elapsed + ms
      await settled()
      for (let next = pending[0]; next !== undefined && next.due <= end; next = pending[0]) {
        pending.shift()
        elapsed = next.due
        next.fn()
        await settled()
      }
      elapsed = end
    },
    step(ms) {
      stepped += ms
    },
  }
  return clock
}

/** Longest delay that a Node timer keeps; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

function systemTimer(ms: number, fn: () => void): Timer {
  let left = ms
  let timeout: NodeJS.Timeout
  const arm = () => {
    const part = Math.min(left, LONGEST_TIMER_MS)
    left -= part
    timeout = setTimeout(left > 0 ? arm : fn, part)
  }
  arm()
  return { cancel: () => clearTimeout(timeout) }
}

function sleepBy(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const onAbort = () => {
      timer.cancel()
      reject(signal.reason)
    }
    const timer = clock.timer(ms, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** All promises that are ready have gone on. */
const settled = () => new Promise<void>(resolve => setImmediate(resolve))
