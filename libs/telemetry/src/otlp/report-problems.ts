import { DiagLogLevel, diag } from '@opentelemetry/api'
import type { Log } from '../log.ts'

/**
 * Logs problems of the SDK, such as a collector that is away: at most one line of each level a minute, whatever happens to
 * the wall clock. The lines are exported too, so more of them would be a loop. `monotonic`: in milliseconds.
 */
export function reportProblems(log: Log, monotonic = () => performance.now()): void {
  const toldAt = new Map<string, number>()
  const tell = (level: 'warn' | 'error') => (message: string) => {
    const now = monotonic()
    if (now - (toldAt.get(level) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    toldAt.set(level, now)
    log.warn('telemetry.failed', { reason: message.slice(0, 1_000) })
  }
  const logger = { error: tell('error'), warn: tell('warn'), info() {}, debug() {}, verbose() {} }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

const EVERY_MS = 60_000
