/** How requests were answered: what the targets of `/status` are measured by. */
import { processMetrics } from '@millhand/telemetry'
import { FAST_MS } from './targets.ts'

interface Counts {
  requests: number
  /** With 500 or more. */
  failed: number
  /** Those that count for speed. */
  timed: number
  /** Of those, the ones that were not fast. */
  slow: number
}

export interface RequestCounts {
  /** Counts an answer. `ms`: how long it took; undefined where it does not count for speed. */
  add(status: number, ms: number | undefined): void
  /** What was counted since this was called before. */
  take(): Counts
}

export function createRequestCounts(): RequestCounts {
  let counts = none()
  return {
    add(status, ms) {
      counts.requests++
      if (status >= 500) {
        counts.failed++
        countFailed()
      } else countAnswered()
      if (ms === undefined) return
      counts.timed++
      if (ms > FAST_MS) {
        counts.slow++
        countSlow()
      } else countFast()
    },
    take() {
      const taken = counts
      counts = none()
      return taken
    },
  }
}

const countAnswered = processMetrics.boundCounter('millhand_target_requests_total', { result: 'answered' })
const countFailed = processMetrics.boundCounter('millhand_target_requests_total', { result: 'failed' })
const countFast = processMetrics.boundCounter('millhand_target_timed_requests_total', { speed: 'fast' })
const countSlow = processMetrics.boundCounter('millhand_target_timed_requests_total', { speed: 'slow' })

const none = (): Counts => ({ requests: 0, failed: 0, timed: 0, slow: 0 })
