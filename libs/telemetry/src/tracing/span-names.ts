/**
 * The names of spans and of their attributes, in one place. Those that OpenTelemetry's semantic conventions have are
 * called as there (https://opentelemetry.io/docs/specs/semconv/); those that begin with `millhand.` are our own.
 *
 * The span of a REST request is called as its method and route, `POST /v1/tasks`; that of a call as its service and method.
 */
export const spans = {
  /** Authentication, rate limits and scopes of a request. */
  admission: 'admission',
  /** The durable write of a new task and its event. */
  storeTask: 'store task',
  /** From when a task could be claimed until an executor has its lease. */
  queue: 'queue',
  /** The work of an executor, from the lease until the result is taken. */
  run: 'run',
  /** The part of it that the model's process computes. */
  childProcess: 'child process',
  /** The durable write of a result and its event. */
  storeResult: 'store result',
  /** One try of a delivery: the request to the customer's server. */
  webhook: 'webhook',
} as const

export const attributes = {
  serviceName: 'service.name',
  exceptionMessage: 'exception.message',
  exceptionStacktrace: 'exception.stacktrace',
  requestMethod: 'http.request.method',
  route: 'http.route',
  statusCode: 'http.response.status_code',
  urlPath: 'url.path',
  urlScheme: 'url.scheme',
  errorType: 'error.type',
  rpcSystem: 'rpc.system.name',
  rpcMethod: 'rpc.method',
  rpcStatus: 'rpc.response.status_code',
  requestId: 'millhand.request_id',
  mode: 'millhand.mode',
  taskId: 'millhand.task_id',
  pool: 'millhand.pool',
  attempt: 'millhand.attempt',
  model: 'millhand.model',
  batchSize: 'millhand.batch_size',
  outcome: 'millhand.outcome',
  deliveryId: 'millhand.delivery_id',
  eventType: 'millhand.event_type',
  errorCause: 'millhand.error_cause',
} as const
