/** The JSON of the status page. */
import type { ErrorBudget } from '../../status/error-budget.ts'
import type { TargetName } from '../../status/targets.ts'
import type { Days } from './uptime.ts'

/** What `/status` says, as its JSON shows it. */
export interface Status {
  readonly object: 'status'
  readonly status: 'operational' | 'degraded'
  readonly updated_at: string
  /** Whether the history is as the status service has it now; else it is what this gateway last heard, maybe nothing. */
  readonly history_is_current: boolean
  readonly components: readonly ComponentStatus[]
  readonly targets: readonly TargetStatus[]
}

export interface ComponentStatus {
  readonly name: string
  readonly status: 'up' | 'down'
  readonly since: string
  /** From 0 to 1, of the time in which it was looked at; absent where it never was. */
  readonly uptime?: number
  /** The oldest first. */
  readonly days: Days
}

export interface TargetStatus {
  readonly name: TargetName
  /** The share that is promised. */
  readonly target: number
  /** The share that was reached; absent where nothing was counted. */
  readonly share?: number
  readonly error_budget: ErrorBudget
  readonly days: Days
}
