/**
 * All metrics. Those that OpenTelemetry's semantic conventions have are called as there, as Prometheus writes them
 * (https://opentelemetry.io/docs/specs/semconv/); the others begin with `millhand_`. `docs/operating.md` has this list.
 */

export interface MetricSpec {
  readonly kind: 'gauge' | 'counter' | 'histogram'
  /** What it counts or measures, as UCUM has it: https://ucum.org. `1` is a share. */
  readonly unit: Unit
  readonly help: string
  /**
   * Each label with all its possible values, or with what they are. No value is made by a customer, such as an account or a
   * task is, so the number of series is bounded.
   */
  readonly labels: Labelled
  /** The upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[]
}

type Unit = 's' | 'By' | '1' | `{${string}}`
type Labelled = Readonly<Record<string, LabelValues>>
/** All values, or what they are where that depends on the deployment. */
type LabelValues = readonly string[] | { readonly are: string }

export const isOpen = (values: LabelValues | undefined): values is { readonly are: string } =>
  values !== undefined && 'are' in values

const counter = <const Of extends Labelled>(unit: Unit, help: string, labels: Of) =>
  ({ kind: 'counter', unit, help, labels }) as const
const gauge = <const Of extends Labelled>(unit: Unit, help: string, labels: Of) =>
  ({ kind: 'gauge', unit, help, labels }) as const
const histogram = <const Of extends Labelled>(unit: Unit, help: string, labels: Of, buckets: readonly number[]) =>
  ({ kind: 'histogram', unit, help, labels, buckets }) as const

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

/** As the semantic conventions advise for requests, in seconds. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Of work that may take hours. */
const workSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 7_200]
const pool = { are: 'the pools of work, such as `live/onnx`' }
const model = { are: 'the models and employees of the deployment; `own` for models of accounts' }

export const metricSpecs = {
  http_server_request_duration_seconds: histogram(
    's',
    'Requests of callers, from their first byte to the end of their answer, waits and streams included.',
    {
      http_request_method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', '_OTHER'],
      http_route: { are: 'the routes, such as `/v1/tasks/{id}`; `unknown` for all that is none' },
      http_response_status_code: {
        are: 'the status, of a gRPC call that of the same failure over REST; `none` if the caller left before the answer',
      },
    },
    requestSeconds,
  ),
  millhand_target_requests_total: counter(
    '{request}',
    'Requests that count for the target of 99.9 % of `/status`: `failed` were answered with 500 or more.',
    { result: ['answered', 'failed'] },
  ),
  millhand_target_timed_requests_total: counter(
    '{request}',
    'Requests that count for the target of 100 ms of `/status`: `slow` took longer. Waits, streams and files do not count.',
    { speed: ['fast', 'slow'] },
  ),
  millhand_rate_refusals_total: counter(
    '{request}',
    'Requests that were refused because the rate of the plan was used up, by the family of the plan.',
    { family: ['compute', 'developer'] },
  ),
  millhand_queue_tasks: gauge(
    '{task}',
    'Tasks that wait in a pool, those that wait for their next attempt included. The count stops at 10000. Only the owner reports it.',
    { pool },
  ),
  millhand_queue_oldest_seconds: gauge(
    's',
    'The age of the oldest task that could run now; 0 if there is none. Only the owner reports it.',
    { pool },
  ),
  millhand_claims_total: counter('{task}', 'Tasks and deliveries that were handed out to be run.', { pool }),
  millhand_tasks_ended_total: counter('{task}', 'Tasks that have ended, by their last status.', {
    pool,
    status: { are: 'the statuses in which a task ends' },
  }),
  millhand_task_wait_seconds: histogram(
    's',
    'From the acceptance of a task to the beginning of the run that ended it, earlier attempts included.',
    { model },
    workSeconds,
  ),
  millhand_task_run_seconds: histogram(
    's',
    'The run that ended a task, from its beginning until its result was taken.',
    { model },
    workSeconds,
  ),
  millhand_executor_slots: gauge('{run}', 'How many runs this process may have at once.', { pool }),
  millhand_executor_busy_slots: gauge('{run}', 'How many runs this process has now.', { pool }),
  millhand_executor_claim_failures_total: counter(
    '{call}',
    'Calls for work that failed, because the owner or its store was not reached.',
    { pool },
  ),
  millhand_run_tasks: histogram('{task}', 'How many tasks shared a run.', { pool }, [1, 2, 4, 8, 16, 32, 64]),
  millhand_model_loads_total: counter(
    '{load}',
    'Starts of processes of models and employees. `failed` includes starts that were ended because nobody waited any more.',
    { model, outcome: ['loaded', 'failed'] },
  ),
  millhand_model_unloads_total: counter(
    '{unload}',
    'Processes of models and employees that were ended to make room for others.',
    { model },
  ),
  millhand_model_processes: gauge('{process}', 'Processes of models and employees that are loaded.', { pool }),
  millhand_model_memory_bytes: gauge('By', 'The memory of these processes.', { pool }),
  millhand_store_commit_seconds: histogram(
    's',
    'A durable write, which may hold many changes: in SQLite a transaction with its sync of the disk, in MongoDB a call that writes.',
    { store: ['sqlite', 'mongodb'] },
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  ),
  millhand_store_commit_failures_total: counter('{commit}', 'Durable writes that failed.', {
    store: ['sqlite', 'mongodb'],
  }),
  millhand_disk_free_bytes: gauge('By', 'Free space of the disk of the data folder. Only in a single process.', {}),
  millhand_outbox_delay_seconds: histogram(
    's',
    'From a change to the publication of its event in Kafka. Only on several machines.',
    {},
    [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  ),
  millhand_outbox_oldest_seconds: gauge(
    's',
    'The age of the oldest event that is being published in Kafka now; 0 if there is none. Only on several machines, and only the owner reports it.',
    {},
  ),
  millhand_reconciler_open_instances: gauge(
    '{instance}',
    'Instances that have not ended, those that run as they should included. Only the owner reports it.',
    { mode },
  ),
  millhand_reconciler_observed_seconds: gauge(
    's',
    'How long ago the container engine was last seen whole. Only the owner reports it.',
    { mode },
  ),
  millhand_event_reader_delay_seconds: histogram(
    's',
    'From an event to the end of the work of a reader on it, of the oldest event of each batch.',
    { reader },
    [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  ),
  nodejs_eventloop_delay_p99_seconds: gauge(
    's',
    'The 99th percentile of how late the event loop was since the metrics were read before.',
    {},
  ),
  nodejs_eventloop_delay_max_seconds: gauge(
    's',
    'How late the event loop was at most since the metrics were read before.',
    {},
  ),
  nodejs_eventloop_utilization_ratio: gauge(
    '1',
    'The share of time in which the event loop was at work since the metrics were read before.',
    {},
  ),
  process_memory_usage_bytes: gauge('By', 'Resident memory of this process, without those of models.', {}),
  process_cpu_time_seconds_total: counter('s', 'Processor time of this process, without those of models.', {
    cpu_mode: ['user', 'system'],
  }),
  process_uptime_seconds: gauge('s', 'How long this process has run.', {}),
  millhand_ownership_ended_total: counter(
    '{end}',
    'How often this process stopped being the owner of its service, by reason: the process stopped, it could not renew its lease in time, another process took the lease, or its work failed.',
    {
      service: ['compute', 'workforce', 'batch', 'instance', 'billing', 'identity', 'webhook'],
      reason: ['stopped', 'expired', 'taken', 'failed'],
    },
  ),
  millhand_log_lines_dropped_total: counter(
    '{line}',
    'Log lines that were dropped because standard error was full, slow or closed.',
    {},
  ),
  millhand_log_records_dropped_total: counter(
    '{record}',
    'Log lines that a collector was not sent, by reason: too many were waiting, or the collector did not take them.',
    { reason: ['queue_full', 'export_failed'] },
  ),
  millhand_spans_dropped_total: counter(
    '{span}',
    'Spans of traces that were not sent, by reason: too many were waiting, or the collector did not take them.',
    { reason: ['queue_full', 'export_failed'] },
  ),
  millhand_event_reader_events_total: counter(
    '{event}',
    'Events that readers of the event log were handed in this process, repeats included.',
    { reader },
  ),
  millhand_event_reader_seconds_total: counter(
    's',
    'How long readers of the event log were at work on batches in this process, waits for the store included. Its rate is an upper bound of their share of the main thread.',
    { reader },
  ),
  millhand_event_reader_behind_events: gauge(
    '{event}',
    'Events in the event log that a reader has not looked at yet; with Kafka the lag of its consumer group. The process that reads reports it.',
    { reader },
  ),
  millhand_webhook_owner: gauge(
    '1',
    '1 if this process is the owner, which reads the event log and delivers; otherwise 0. One replica is the owner.',
    {},
  ),
  millhand_webhook_intake_behind_events: gauge(
    '{event}',
    'Events in the event log that the webhook intake has not read yet.',
    {},
  ),
  millhand_webhook_intake_behind_seconds: gauge(
    's',
    'The age of the oldest event that the intake has not read, as far as this process has looked, to within some seconds.',
    {},
  ),
  millhand_webhook_spilled_events: gauge(
    '{event}',
    'Events that the intake has read but for which not all deliveries exist yet. The count stops at 10000.',
    {},
  ),
  millhand_webhook_deliveries: gauge(
    '{delivery}',
    'Deliveries that are due, that wait for a retry time, or that are being attempted. Each count stops at 10000.',
    { mode, state: ['ready', 'waiting', 'running'] },
  ),
  millhand_webhook_oldest_ready_seconds: gauge(
    's',
    'How long the oldest due delivery has been due; 0 if none is due.',
    { mode },
  ),
  millhand_webhook_tries_total: counter(
    '{attempt}',
    'Delivery attempts, including deliveries that turned out to be impossible, by outcome.',
    { mode, outcome: ['succeeded', 'failed', 'cancelled', 'spoiled'] },
  ),
  millhand_webhook_put_offs_total: counter(
    '{delivery}',
    'Deliveries postponed for a reason on the side of Millhand. They wait, and no attempt counts.',
    { mode, reason: ['dns_unavailable', 'no_sockets', 'store_away', 'internal_error'] },
  ),
  millhand_webhook_try_duration_seconds: histogram(
    's',
    'The duration of delivery attempts, with and without a response.',
    { mode, outcome: ['succeeded', 'failed'] },
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  ),
  millhand_webhook_endpoints_disabled: gauge(
    '{endpoint}',
    'Disabled endpoints by reason: disabled by their owner, five days of failures, or a 410 response. The count stops at 10000.',
    { reason: ['requested', 'failing', 'gone'] },
  ),
} as const satisfies Record<string, MetricSpec>

type Specs = typeof metricSpecs

export type MetricName<Kind extends MetricSpec['kind'] = MetricSpec['kind']> = {
  [Name in keyof Specs]: Specs[Name]['kind'] extends Kind ? Name : never
}[keyof Specs]

/** A value for each label. */
export type Labels<Name extends MetricName> = {
  readonly [Label in keyof Specs[Name]['labels']]: OneOf<Specs[Name]['labels'][Label]>
}

type OneOf<Values> = Values extends readonly (infer Value extends string)[] ? Value : string
