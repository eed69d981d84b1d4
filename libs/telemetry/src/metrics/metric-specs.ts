/** All metrics. A test compares the table in `docs/operating.md` with this list. */

export interface MetricSpec {
  readonly kind: 'gauge' | 'counter' | 'histogram'
  readonly help: string
  /** Each label with all its possible values. Values never come from customers, so the number of series is bounded. */
  readonly labels: Readonly<Record<string, readonly string[]>>
  /** The upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[]
}

const mode = ['live', 'test'] as const
/** Groups of the event log by their names, and the one service that reads with `tail`. */
const reader = [
  'batch-progress',
  'billing-compute',
  'billing-workforce',
  'billing-instances',
  'billing-accounts',
  'webhook',
] as const

export const metricSpecs = {
  millhand_ownership_ended_total: {
    kind: 'counter',
    help: 'How often this process stopped being the owner of its service, by reason: the process stopped, it could not renew its lease in time, another process took the lease, or its work failed.',
    labels: {
      service: ['compute', 'workforce', 'batch', 'instance', 'billing', 'identity', 'webhook'],
      reason: ['stopped', 'expired', 'taken', 'failed'],
    },
  },
  millhand_log_lines_dropped_total: {
    kind: 'counter',
    help: 'Log lines that were dropped because standard error was full, slow or closed.',
    labels: {},
  },
  millhand_spans_dropped_total: {
    kind: 'counter',
    help: 'Spans of traces that were not sent, by reason: too many were waiting, or the collector did not take them.',
    labels: { reason: ['queue_full', 'export_failed'] },
  },
  millhand_event_reader_events_total: {
    kind: 'counter',
    help: 'Events that readers of the event log were handed in this process, repeats included.',
    labels: { reader },
  },
  millhand_event_reader_seconds_total: {
    kind: 'counter',
    help: 'How long readers of the event log were at work on batches in this process, waits for the store included. Its rate is an upper bound of their share of the main thread.',
    labels: { reader },
  },
  millhand_event_reader_behind_events: {
    kind: 'gauge',
    help: 'Events in the event log that a reader has not looked at yet. Only in a single process; with Kafka it is the lag of the consumer group.',
    labels: { reader },
  },
  millhand_webhook_owner: {
    kind: 'gauge',
    help: '1 if this process is the owner, which reads the event log and delivers; otherwise 0. One replica is the owner.',
    labels: {},
  },
  millhand_webhook_intake_behind_events: {
    kind: 'gauge',
    help: 'Events in the event log that the webhook intake has not read yet.',
    labels: {},
  },
  millhand_webhook_intake_behind_seconds: {
    kind: 'gauge',
    help: 'The age of the oldest event that the intake has not read, as far as this process has looked, to within some seconds.',
    labels: {},
  },
  millhand_webhook_spilled_events: {
    kind: 'gauge',
    help: 'Events that the intake has read but for which not all deliveries exist yet. The count stops at 10000.',
    labels: {},
  },
  millhand_webhook_deliveries: {
    kind: 'gauge',
    help: 'Deliveries that are due, that wait for a retry time, or that are being attempted. Each count stops at 10000.',
    labels: { mode, state: ['ready', 'waiting', 'running'] },
  },
  millhand_webhook_oldest_ready_seconds: {
    kind: 'gauge',
    help: 'How long the oldest due delivery has been due; 0 if none is due.',
    labels: { mode },
  },
  millhand_webhook_tries_total: {
    kind: 'counter',
    help: 'Delivery attempts, including deliveries that turned out to be impossible, by outcome.',
    labels: { mode, outcome: ['succeeded', 'failed', 'cancelled', 'spoiled'] },
  },
  millhand_webhook_put_offs_total: {
    kind: 'counter',
    help: 'Deliveries postponed for a reason on the side of Millhand. They wait, and no attempt counts.',
    labels: { mode, reason: ['dns_unavailable', 'no_sockets', 'store_away', 'internal_error'] },
  },
  millhand_webhook_try_duration_seconds: {
    kind: 'histogram',
    help: 'The duration of delivery attempts, with and without a response.',
    labels: { mode, outcome: ['succeeded', 'failed'] },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  millhand_webhook_endpoints_disabled: {
    kind: 'gauge',
    help: 'Disabled endpoints by reason: disabled by their owner, five days of failures, or a 410 response. The count stops at 10000.',
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
