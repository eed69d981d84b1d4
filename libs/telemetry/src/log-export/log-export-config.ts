/** Whether and how this process exports its log, by the standard variables of OpenTelemetry. */
import {
  countOf,
  type Environment,
  exporterChoice,
  isDisabled,
  namesService,
  type Protocol,
  protocolOf,
  requireEndpoints,
} from '../otlp/otlp-variables.ts'

export interface LogExportConfig {
  readonly protocol: Protocol
  /** How many lines may wait to be sent. */
  readonly maxQueueSize: number
  readonly maxBatchSize: number
  /** Between two batches, in milliseconds. */
  readonly delayMs: number
  /** Of one batch. */
  readonly timeoutMs: number
  /** Whether the environment names the service. */
  readonly isNamed: boolean
}

/**
 * Undefined where the log is not exported. The endpoint of all signals does not turn it on: lines of a log say more than
 * spans do, and many collectors take traces alone.
 *
 * @throws Error which names the variable that is wrong
 */
export function logExportConfig(env: Environment): LogExportConfig | undefined {
  if (isDisabled(env)) return undefined
  if (!(exporterChoice(env, 'LOGS') ?? Boolean(env.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT))) return undefined
  requireEndpoints(env, 'LOGS')
  const maxQueueSize = countOf(env, 'OTEL_BLRP_MAX_QUEUE_SIZE', 2_048)
  return {
    protocol: protocolOf(env, 'LOGS'),
    maxQueueSize,
    maxBatchSize: Math.min(maxQueueSize, countOf(env, 'OTEL_BLRP_MAX_EXPORT_BATCH_SIZE', 512)),
    delayMs: countOf(env, 'OTEL_BLRP_SCHEDULE_DELAY', 1_000),
    timeoutMs: countOf(env, 'OTEL_BLRP_EXPORT_TIMEOUT', 30_000),
    isNamed: namesService(env),
  }
}
