import type { Clock } from './clock.ts'

export interface WakeUp {
  /** Ends the wait, or the next one where nobody waits. */
  wake(): void
  /** Resolves once it is woken, after `ms` milliseconds, or when the signal ends. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function createWakeUp(clock: Pick<Clock, 'timer'>): WakeUp {
  let isAwake = false
  let end = () => {}
  return {
    wake() {
      isAwake = true
      end()
    },
    async wait(ms, signal) {
      if (!isAwake && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        end = resolve
        const timer = clock.timer(ms, resolve)
        signal.addEventListener('abort', end, { once: true })
        await promise
        timer.cancel()
        signal.removeEventListener('abort', end)
      }
      isAwake = false
    },
  }
}
