import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logExportConfig } from './log-export-config.ts'

const on = { OTEL_LOGS_EXPORTER: 'otlp' }

test('the log is exported if its exporter or its own endpoint is named', () => {
  const off = [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'otlp' },
    { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector:4318/v1/logs', OTEL_LOGS_EXPORTER: 'none' },
    { ...on, OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: '' },
  ]
  for (const env of off) assert.equal(logExportConfig(env), undefined, JSON.stringify(env))
  for (const env of [on, { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector:4318/v1/logs' }])
    assert.deepEqual(logExportConfig(env), {
      protocol: 'http/protobuf',
      maxQueueSize: 2_048,
      maxBatchSize: 512,
      delayMs: 1_000,
      timeoutMs: 30_000,
      isNamed: false,
    })
})

test('the protocol of logs comes before that of all signals, and a batch is no larger than the queue', () => {
  const env = { ...on, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_BLRP_MAX_QUEUE_SIZE: '9' }
  assert.partialDeepStrictEqual(logExportConfig(env), { protocol: 'grpc', maxQueueSize: 9, maxBatchSize: 9 })
  assert.equal(logExportConfig({ ...env, OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json' })?.protocol, 'http/json')
})

test('a wrong value is refused by its name', () => {
  const wrong = {
    OTEL_LOGS_EXPORTER: 'console',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'ftp://collector',
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'json',
    OTEL_BLRP_MAX_QUEUE_SIZE: '0',
    OTEL_BLRP_SCHEDULE_DELAY: 'soon',
  }
  for (const [name, value] of Object.entries(wrong))
    assert.throws(
      () => logExportConfig({ ...on, [name]: value }),
      new RegExp(`^Error: ${name} must be .*${value}`),
      name,
    )
})
