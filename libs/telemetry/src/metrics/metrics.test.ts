import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createMetrics, type Metrics } from './metrics.ts'
import { MOST_SERIES } from './recorded.ts'
import { observeRuntime } from './runtime-metrics.ts'

const silent = { warn: () => {} }

/** The lines about a metric. */
const about = async (metrics: Metrics, name: string, log: Parameters<Metrics['text']>[0] = silent) =>
  (await metrics.text(log)).split('\n').filter(line => line.split(/[ {]/).some(word => word.startsWith(name)))

test('counts are there from the beginning, for every value of every label, and go up', async () => {
  const metrics = createMetrics()
  const count = metrics.counter('millhand_webhook_tries_total')
  count({ mode: 'live', outcome: 'failed' })
  count({ outcome: 'failed', mode: 'live' })
  const [help, unit, type, ...lines] = await about(metrics, 'millhand_webhook_tries_total')
  assert.match(help ?? '', /^# HELP millhand_webhook_tries_total Delivery attempts/)
  assert.equal(unit, '# UNIT millhand_webhook_tries_total {attempt}')
  assert.equal(type, '# TYPE millhand_webhook_tries_total counter')
  assert.equal(lines.length, 8)
  assert.ok(lines.includes('millhand_webhook_tries_total{mode="live",outcome="failed"} 2'))
  assert.ok(lines.includes('millhand_webhook_tries_total{mode="test",outcome="spoiled"} 0'))
  metrics.boundCounter('millhand_webhook_tries_total', { mode: 'live', outcome: 'failed' })(0.5)
  const text = await metrics.text(silent)
  assert.ok(text.includes('millhand_webhook_tries_total{mode="live",outcome="failed"} 2.5\n'))
})

test('a histogram counts what is at most each bound, and sums', async () => {
  const metrics = createMetrics()
  const labels = { mode: 'live', outcome: 'succeeded' } as const
  const observe = metrics.histogram('millhand_webhook_try_duration_seconds')
  for (const seconds of [0.01, 0.011, 0.5, 14]) observe(labels, seconds)
  metrics.boundHistogram('millhand_webhook_try_duration_seconds', labels)(16)
  const lines = await about(metrics, 'millhand_webhook_try_duration_seconds')
  const of = (suffix: string) => {
    const begin = `millhand_webhook_try_duration_seconds_${suffix}`
    return Number(
      lines
        .find(line => line.startsWith(begin))
        ?.split(' ')
        .at(-1),
    )
  }
  const live = 'mode="live",outcome="succeeded"'
  assert.deepEqual(
    ['0.01', '0.025', '0.25', '0.5', '10', '15', '+Inf'].map(bound => of(`bucket{${live},le="${bound}"}`)),
    [1, 2, 2, 3, 3, 4, 5],
  )
  assert.deepEqual([of(`sum{${live}}`), of(`count{${live}}`)], [30.521, 5])
  assert.equal(of('count{mode="test",outcome="failed"}'), 0)
})

test('what is observed is read each time; what can not be read is left out, and the rest is there', async () => {
  const warned: string[] = []
  const log = { warn: (event: string) => void warned.push(event) }
  const metrics = createMetrics()
  let value = 0
  const end = metrics.observe(() => [{ name: 'millhand_webhook_owner', labels: {}, value: value++ }])
  metrics.observe(async () => {
    throw new Error('the store is away')
  })
  assert.deepEqual((await about(metrics, 'millhand_webhook_owner', log)).slice(2), [
    '# TYPE millhand_webhook_owner gauge',
    'millhand_webhook_owner 0',
  ])
  assert.equal((await about(metrics, 'millhand_webhook_owner', log)).at(-1), 'millhand_webhook_owner 1')
  assert.deepEqual(warned, ['metrics.not_read', 'metrics.not_read'])
  end()
  assert.deepEqual(await about(metrics, 'millhand_webhook_owner', log), [])
})

test('a value of a sampled trace is the exemplar of its bucket, until the next, in OpenMetrics alone', async () => {
  const metrics = createMetrics()
  const observe = metrics.boundHistogram('millhand_task_run_seconds', { model: 'digits' })
  const trace = (n: number, isSampled = true) => ({ traceId: `${n}`.repeat(32), spanId: `${n}`.repeat(16), isSampled })
  observe(0.2)
  observe(0.3, trace(1))
  observe(0.4, trace(2))
  observe(0.45, trace(3, false))
  observe(0.7, trace(4))
  observe(9_000, trace(5))
  metrics.counter('millhand_claims_total')({ pool: 'live/onnx' })
  const lines = (await metrics.text(silent, 'openmetrics')).split('\n')
  const rest = lines.filter(line => line.startsWith('millhand_task_run_seconds_bucket'))
  const bucket = (le: string, count: number, exemplar?: [id: number, value: number]) =>
    `millhand_task_run_seconds_bucket{model="digits",le="${le}"} ${count}` +
    (exemplar
      ? ` # {trace_id="${`${exemplar[0]}`.repeat(32)}",span_id="${`${exemplar[0]}`.repeat(16)}"} ${exemplar[1]}`
      : '')
  assert.deepEqual(
    rest.map(line => line.replace(/(?<= # .*) [\d.]+$/, '')),
    [
      ...['0.01', '0.05', '0.1'].map(le => bucket(le, 0)),
      bucket('0.5', 4, [2, 0.4]),
      bucket('1.0', 5, [4, 0.7]),
      ...['5.0', '10.0', '30.0', '60.0', '300.0', '1800.0', '7200.0'].map(le => bucket(le, 5)),
      bucket('+Inf', 6, [5, 9_000]),
    ],
  )
  const [time] = rest.flatMap(line => / # .* ([\d.]+)$/.exec(line)?.[1] ?? [])
  assert.ok(Math.abs(Number(time) - Date.now() / 1_000) < 600, time)
  for (const line of [
    '# TYPE millhand_claims counter',
    'millhand_claims_total{pool="live/onnx"} 1',
    '# UNIT millhand_task_run_seconds seconds',
  ])
    assert.ok(lines.includes(line), line)
  assert.deepEqual(lines.slice(-2), ['# EOF', ''])
  assert.ok(!(await metrics.text(silent)).includes(trace(4).traceId))
})

test('a label with an open set of values can not fill the memory', async () => {
  const metrics = createMetrics()
  const count = metrics.counter('millhand_claims_total')
  for (let at = 0; at < MOST_SERIES + 10; at++) count({ pool: `p${at}` })
  const lines = (await about(metrics, 'millhand_claims_total')).slice(3)
  assert.equal(lines.length, MOST_SERIES + 1)
  assert.equal(lines.at(-1), 'millhand_claims_total{pool="other"} 10')
})

test('values of labels are escaped', async () => {
  const metrics = createMetrics()
  metrics.counter('millhand_claims_total')({ pool: 'a"b\\c\nd' })
  const [line] = (await about(metrics, 'millhand_claims_total')).slice(3)
  assert.equal(line, 'millhand_claims_total{pool="a\\"b\\\\c\\nd"} 1')
})

test('the runtime is observed from the first time on', async () => {
  const metrics = createMetrics()
  const end = observeRuntime(metrics)
  const read = async (name: string) => Number((await about(metrics, name)).at(-1)?.split(' ').at(-1))
  assert.equal(await read('nodejs_eventloop_delay_max_seconds'), 0)
  assert.ok((await read('process_memory_usage_bytes')) > 1e7)
  assert.ok((await read('process_cpu_time_seconds_total')) > 0)
  // A delay is seen between two ticks of the timer, of which reading loses one.
  for (let late = 0; late < 0.1; late = await read('nodejs_eventloop_delay_max_seconds')) {
    await pause(60)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
    await pause(60)
  }
  end()
})
