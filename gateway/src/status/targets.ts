/** The targets of the status page: contract, section 11. */

/** The shares of requests that are promised: answered without a 5xx, and within `FAST_MS`. */
export const targets = { answered: 0.999, fast: 0.99 } as const

export type TargetName = keyof typeof targets

/** An answer that takes longer counts as slow. */
export const FAST_MS = 100

/** The error budget is that of so many days, today included: the window of the alerts (`deploy/prometheus/alerts.yaml`). */
export const BUDGET_DAYS = 30

/** A day on which a component was away for more than this share of it stands out: 86 s of a day. */
export const COMPONENT_TARGET = 0.999
