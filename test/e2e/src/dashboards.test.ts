/**
 * Each panel of the dashboards of `deploy/grafana` shows something: Prometheus reads a server at work, and answers every query of
 * every panel as Grafana would send it.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Prometheus, prometheusMissing, startPrometheus } from '@millhand/test-servers'
import { createBatch } from './batches.ts'
import { openEvents } from './event-stream.ts'
import { askPrometheus as ask, isDistributed, metricsTargets } from './prometheus.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { repository, type Server, startServer } from './server.ts'
import { create, digit, run } from './tasks.ts'

interface Panel {
  readonly title: string
  readonly description: string
  readonly targets: readonly { readonly expr: string }[]
}

interface Variable {
  readonly name: string
  readonly type: string
  readonly query: { readonly query: string }
  readonly allValue: string
}

interface Dashboard {
  readonly title: string
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly Variable[] }
}

const folder = join(repository, 'deploy/grafana/dashboards')
const dashboards: readonly Dashboard[] = readdirSync(folder).map(name =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')),
)

const elsewhere = isDistributed ? 'Only in a single process.' : 'Only on several machines.'

describe('dashboards', { skip: prometheusMissing() }, () => {
  let server: Server
  let receiver: Receiver
  let prometheus: Prometheus
  before(async () => {
    ;[server, receiver] = await Promise.all([startServer(), startReceiver()])
    prometheus = await startPrometheus(metricsTargets(server), join(repository, 'deploy/prometheus/alerts.yaml'))
  })
  after(async () => {
    await prometheus?.[Symbol.asyncDispose]()
    await server.stop()
    await receiver[Symbol.asyncDispose]()
  })

  test('every query of every panel has an answer while the server works', async () => {
    receiver.answer('/away', 503)
    for (const path of ['/there', '/away']) {
      const json = { url: receiver.url(path), events: ['task.succeeded'] }
      assert.equal((await server.request('POST', '/v1/webhooks', { json })).status, 201)
    }
    let empty = dashboards.flatMap(queriesOf)
    assert.ok(empty.length > 50)
    const deadline = performance.now() + 900_000
    while (empty.length > 0) {
      const titles = empty.map(({ title, expr }) => `${title}: ${expr}`).join('\n')
      assert.ok(performance.now() < deadline, `no data:\n${titles}`)
      await work(server)
      const answers = await Promise.all(empty.map(({ expr }) => hasData(prometheus, expr)))
      empty = empty.filter((_, index) => !answers[index])
      await pause(500)
    }
  })

  test('every variable has values to choose from', async () => {
    const variables = dashboards.flatMap(({ templating }) => templating.list).filter(({ type }) => type === 'query')
    assert.ok(variables.length > 0)
    for (const { name, query } of variables) {
      const [, metric = '', label] = /^label_values\((\w+), (\w+)\)$/.exec(query.query) ?? []
      const { data } = await ask(prometheus, `label/${label}/values`, { 'match[]': metric })
      assert.ok(data.length > 0, name)
    }
  })
})

/** The queries of the panels that this deployment has something to show for, as Grafana fills them in. */
const queriesOf = ({ title, panels, templating }: Dashboard) =>
  panels
    .filter(({ description }) => !description.includes(elsewhere))
    .flatMap(panel =>
      panel.targets.map(({ expr }) => ({
        title: `${title}, ${panel.title}`,
        expr: templating.list
          .filter(({ type }) => type === 'query')
          .reduce((text, { name, allValue }) => text.replaceAll(`$${name}`, allValue), expr)
          .replaceAll('$__rate_interval', '10m'),
      })),
    )

/** Whether a query has a number as its answer. Fails where Prometheus does not take it. */
async function hasData(prometheus: Prometheus, query: string): Promise<boolean> {
  const { data } = await ask(prometheus, 'query', { query })
  return data.result.some(({ value }: { value: [number, string] }) => Number.isFinite(Number(value[1])))
}

/** Some of all that callers do. */
async function work(server: Server): Promise<void> {
  const employee = { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Not bad at all for the price.'] } }
  const [, , streamed] = await Promise.all([
    run(server, digit(3)),
    run(server, employee),
    create(server, digit(4)),
    createBatch(server, { tasks: [digit(5)] }),
    server.request('GET', '/v1/usage'),
    server.request('GET', '/v1/instances'),
    server.request('GET', '/made-up'),
  ])
  const headers = { authorization: `Bearer ${server.key}` }
  using stream = await openEvents(`${server.url}/v1/tasks/${streamed.id}/events`, { headers })
  await Array.fromAsync(stream)
}
