/** What the plans of each family limit. */

/** What an account may have of executors. */
interface Share {
  /** Tasks that start where an account with weight 1 starts one, at least 1. */
  readonly weight: number
  /** Tasks that run at once; others wait. */
  readonly max_running: number
  /** Tasks that wait; one more is refused. */
  readonly max_queued: number
}

/** Limits `/v1/tasks batches models files instances gpu_types usage`. */
export interface ComputePlan extends Share {
  /** Requests in any 60 seconds; null is no limit. */
  readonly requests_per_minute: number | null
  /** Instances that have not ended; one more is refused. */
  readonly max_instances: number
  /** Replicas of instances that run at once; others wait. */
  readonly max_replicas: number
}

/** Limits the rest of `/v1`. */
export interface DeveloperPlan {
  /** Requests in any 60 seconds; null is no limit. */
  readonly requests_per_minute: number | null
}

/** Limits tasks of the workforce: those of compute have a share of their own. */
export interface WorkforcePlan extends Share {
  /** Tasks a day of UTC; null is no limit. */
  readonly tasks_per_day: number | null
}
