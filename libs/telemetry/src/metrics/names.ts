/** Every metric that there is. `docs/operating.md` shows them; a test holds it to it. */

export interface MetricSpec {
  readonly kind: 'gauge' | 'counter' | 'histogram'
  readonly help: string
  /** Each label with all the values that it can have: nothing of a customer's, so there are never many. */
  readonly labels: Readonly<Record<string, readonly string[]>>
  /** Of a histogram: the upper bounds, ascending. */
  readonly buckets?: readonly number[]
}

const mode = ['live', 'test'] as const

export const metricSpecs = {
  millhand_ownership_ended_total: {
    kind: 'counter',
    help: 'How often this process stopped being the owner of its service, by why: it stopped, it could not renew its lease in time, another process held it, its work failed.',
    labels: {
      service: ['compute', 'workforce', 'identity', 'webhook'],
      reason: ['stopped', 'expired', 'taken', 'failed'],
    },
  },
  millhand_log_lines_dropped_total: {
    kind: 'counter',
    help: 'Lines of the log that could not be written: standard error was full, slow or gone.',
    labels: {},
  },
  millhand_webhook_owner: {
    kind: 'gauge',
    help: '1 where this process reads the log and delivers, else 0. Of all replicas one is the owner.',
    labels: {},
  },
  millhand_webhook_intake_behind_events: {
    kind: 'gauge',
    help: 'Events in the log that webhooks have not taken up.',
    labels: {},
  },
  millhand_webhook_intake_behind_seconds: {
    kind: 'gauge',
    help: 'For how long the oldest of them has been there, as far as this process has looked: to some seconds.',
    labels: {},
  },
  millhand_webhook_spilled_events: {
    kind: 'gauge',
    help: 'Events that were taken up and whose deliveries are yet to be made. At most 10000 are counted.',
    labels: {},
  },
  millhand_webhook_deliveries: {
    kind: 'gauge',
    help: 'Deliveries that can be tried now, wait for a time, or are being tried. Of each at most 10000 are counted.',
    labels: { mode, state: ['ready', 'waiting', 'running'] },
  },
  millhand_webhook_oldest_ready_seconds: {
    kind: 'gauge',
    help: 'For how long the delivery that waits longest could have been tried; 0 where there is none.',
    labels: { mode },
  },
  millhand_webhook_tries_total: {
    kind: 'counter',
    help: 'Deliveries that were tried, or found to be impossible, by what came of that.',
    labels: { mode, outcome: ['succeeded', 'failed', 'cancelled', 'spoiled'] },
  },
  millhand_webhook_put_offs_total: {
    kind: 'counter',
    help: 'Deliveries that could not be tried for a reason of our own: they wait, and that is no try to the customer.',
    labels: { mode, reason: ['dns_unavailable', 'no_sockets', 'store_away', 'internal_error'] },
  },
  millhand_webhook_try_duration_seconds: {
    kind: 'histogram',
    help: 'How long endpoints took to answer, or not to.',
    labels: { mode, outcome: ['succeeded', 'failed'] },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  millhand_webhook_endpoints_disabled: {
    kind: 'gauge',
    help: 'Disabled endpoints by why they are: their owner did it, five days of failures, 410. At most 10000 are counted.',
    labels: { reason: ['requested', 'failing', 'gone'] },
  },
} as const satisfies Record<`millhand_${string}`, MetricSpec>

type Specs = typeof metricSpecs

export type MetricName<Kind extends MetricSpec['kind'] = MetricSpec['kind']> = {
  [Name in keyof Specs]: Specs[Name]['kind'] extends Kind ? Name : never
}[keyof Specs]

/** A value for each label. */
export type Labels<Name extends MetricName> = {
  readonly [Label in keyof Specs[Name]['labels']]: OneOf<Specs[Name]['labels'][Label]>
}

type OneOf<Values> = Values extends readonly (infer Value extends string)[] ? Value : never
