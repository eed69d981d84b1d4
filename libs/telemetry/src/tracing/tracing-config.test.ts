import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tracingConfig } from './tracing-config.ts'

const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

test('traces are off unless an endpoint or the exporter is named', () => {
  const off = [
    {},
    { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { ...on, OTEL_SDK_DISABLED: 'true' },
    { ...on, OTEL_SDK_DISABLED: 'TRUE' },
    { ...on, OTEL_TRACES_EXPORTER: 'none' },
  ]
  for (const env of off) assert.equal(tracingConfig(env), undefined, JSON.stringify(env))
  const others = [
    { OTEL_TRACES_EXPORTER: 'otlp' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' },
  ]
  for (const env of [on, { ...on, OTEL_SDK_DISABLED: 'yes' }, ...others]) assert.ok(tracingConfig(env))
})

test('what is not set is as the specification has it', () => {
  assert.deepEqual(tracingConfig(on), {
    protocol: 'http/protobuf',
    sampler: { followsParent: true, ratio: 1 },
    maxQueueSize: 2_048,
    isNamed: false,
  })
})

test('samplers', () => {
  const samplers: [string, string | undefined, boolean, number][] = [
    ['always_on', undefined, false, 1],
    ['always_off', undefined, false, 0],
    ['traceidratio', '0.25', false, 0.25],
    ['parentbased_always_on', '0.25', true, 1],
    ['parentbased_always_off', undefined, true, 0],
    ['parentbased_traceidratio', '0.01', true, 0.01],
    ['parentbased_traceidratio', undefined, true, 1],
  ]
  for (const [name, argument, followsParent, ratio] of samplers) {
    const env = { ...on, OTEL_TRACES_SAMPLER: name, ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }) }
    assert.deepEqual(tracingConfig(env)?.sampler, { followsParent, ratio }, name)
  }
})

test('the protocol of traces comes before that of all signals', () => {
  const env = { ...on, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  assert.equal(tracingConfig(env)?.protocol, 'grpc')
  assert.equal(tracingConfig({ ...env, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' })?.protocol, 'http/json')
})

test('the service is named by either variable', () => {
  const named = [{ OTEL_SERVICE_NAME: 'x' }, { OTEL_RESOURCE_ATTRIBUTES: 'a=b, service.name=x' }]
  for (const env of named) assert.equal(tracingConfig({ ...on, ...env })?.isNamed, true)
  assert.equal(tracingConfig({ ...on, OTEL_RESOURCE_ATTRIBUTES: 'my.service.name=x' })?.isNamed, false)
})

test('a wrong value is refused by its name', () => {
  const wrong = {
    OTEL_TRACES_EXPORTER: 'zipkin',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://collector',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'json',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_BSP_MAX_QUEUE_SIZE: '0',
  }
  for (const [name, value] of Object.entries(wrong))
    assert.throws(() => tracingConfig({ ...on, [name]: value }), new RegExp(`^Error: ${name} must be .*${value}`), name)
  for (const ratio of ['1.1', '-0.1', 'half'])
    assert.throws(
      () => tracingConfig({ ...on, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: ratio }),
      /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/,
    )
})
