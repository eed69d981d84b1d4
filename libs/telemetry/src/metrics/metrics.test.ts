import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics, type GaugeSample, type Metrics } from './metrics.ts'

const silent = { warn: () => {} }

/** The lines about a metric. */
const about = async (metrics: Metrics, name: string) =>
  (await metrics.text()).split('\n').filter(line => line.split(/[ {]/).some(word => word.startsWith(name)))

test('counts are there from the beginning, for every value of every label, and go up', async () => {
  const metrics = createMetrics(silent)
  assert.equal(await metrics.text(), '')
  const count = metrics.counter('millhand_webhook_tries_total')
  count({ mode: 'live', outcome: 'failed' })
  count({ outcome: 'failed', mode: 'live' })
  const [help, type, ...lines] = await about(metrics, 'millhand_webhook_tries_total')
  assert.match(help ?? '', /^# HELP millhand_webhook_tries_total Delivery attempts/)
  assert.equal(type, '# TYPE millhand_webhook_tries_total counter')
  assert.equal(lines.length, 8)
  assert.ok(lines.includes('millhand_webhook_tries_total{mode="live",outcome="failed"} 2'))
  assert.ok(lines.includes('millhand_webhook_tries_total{mode="test",outcome="spoiled"} 0'))
  count({ mode: 'live', outcome: 'failed' }, 0.5)
  assert.ok((await metrics.text()).includes('millhand_webhook_tries_total{mode="live",outcome="failed"} 2.5\n'))
})

test('a histogram counts what is at most each bound, and sums', async () => {
  const metrics = createMetrics(silent)
  const observe = metrics.histogram('millhand_webhook_try_duration_seconds')
  for (const seconds of [0.01, 0.011, 0.5, 14, 16]) observe({ mode: 'live', outcome: 'succeeded' }, seconds)
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

test('gauges are asked each time; those that can not be read are left out, and the others are there', async () => {
  const warned: string[] = []
  const metrics = createMetrics({ warn: event => void warned.push(event) })
  let value = 0
  const sample = (): GaugeSample => ({ name: 'millhand_webhook_owner', labels: {}, value: value++ })
  metrics.gauges(async () => [sample()])
  metrics.gauges(async () => {
    throw new Error('the store is away')
  })
  assert.deepEqual((await about(metrics, 'millhand_webhook_owner')).slice(1), [
    '# TYPE millhand_webhook_owner gauge',
    'millhand_webhook_owner 0',
  ])
  assert.equal((await about(metrics, 'millhand_webhook_owner')).at(-1), 'millhand_webhook_owner 1')
  assert.deepEqual(warned, ['metrics.not_read', 'metrics.not_read'])
})
