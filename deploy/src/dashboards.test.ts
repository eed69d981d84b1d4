/** The dashboards of `deploy/grafana` are ones that Grafana takes, and name what is there: metrics, labels, alerts, pages. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { isOpen } from '@millhand/telemetry'
import { parse } from 'yaml'
import { groupsIn, matchersIn, metricsIn, specOf } from './promql.fixture.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource: unknown
  readonly fieldConfig: { readonly defaults: { readonly unit: string } }
  readonly targets: readonly {
    readonly refId: string
    readonly expr: string
    readonly exemplar?: boolean
    readonly legendFormat: string
  }[]
}

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly description: string
  readonly tags: readonly string[]
  readonly schemaVersion: number
  readonly editable: boolean
  readonly links: readonly { readonly type: string; readonly tags: readonly string[] }[]
  readonly templating: {
    readonly list: readonly {
      readonly name: string
      readonly type: string
      readonly query: string | { query: string }
    }[]
  }
  readonly panels: readonly Panel[]
}

const deploy = resolve(import.meta.dirname, '..')
const yaml = (path: string) => parse(readFileSync(resolve(deploy, path), 'utf8'), { merge: true })
const docs = readFileSync(resolve(deploy, '../docs/operating.md'), 'utf8')
const headings = [...docs.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))

const files = readdirSync(resolve(deploy, 'grafana/dashboards'))
const dashboards: readonly Dashboard[] = files.map(name =>
  JSON.parse(readFileSync(resolve(deploy, 'grafana/dashboards', name), 'utf8')),
)
const panels = dashboards.flatMap(dashboard =>
  dashboard.panels.map(panel => ({ ...panel, dashboard, name: `${dashboard.title}, ${panel.title}` })),
)

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly annotations?: { readonly dashboard?: string }
}
const rules: readonly Rule[] = yaml('prometheus/alerts.yaml').groups.flatMap((group: { rules: Rule[] }) => group.rules)
/** Metrics that Prometheus makes itself, and those of rules. */
const ofPrometheus = ['up', 'ALERTS', ...rules.flatMap(({ record }) => record ?? [])]

/** What Grafana calls the units that we use. Names that it does not know it shows as text. */
const units = ['short', 'percentunit', 's', 'bytes', 'reqps', 'ops', 'cps']

test('each dashboard has a name of its own, asks the data source that is chosen, and links to the others', () => {
  assert.equal(new Set(dashboards.map(({ uid }) => uid)).size, files.length)
  for (const { uid, title, tags, schemaVersion, editable, links, templating } of dashboards) {
    assert.match(uid, /^millhand-[a-z-]{1,31}$/)
    assert.ok(title !== '' && Number.isInteger(schemaVersion) && schemaVersion >= 36 && !editable, title)
    assert.deepEqual(tags, ['millhand'])
    assert.deepEqual(
      links.map(link => [link.type, ...link.tags]),
      [['dashboards', 'millhand']],
    )
    assert.ok(
      templating.list.some(
        each => each.name === 'datasource' && each.type === 'datasource' && each.query === 'prometheus',
      ),
    )
  }
})

test('each panel has an id, a unit, a description and a place of its own', () => {
  for (const { uid, panels } of dashboards) {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, uid)
    const taken = new Set<string>()
    for (const { title, type, description, datasource, fieldConfig, gridPos, targets } of panels) {
      assert.ok(['timeseries', 'stat'].includes(type), title)
      assert.match(description, /\.$/, title)
      assert.deepEqual(datasource, { type: 'prometheus', uid: `\${datasource}` }, title)
      assert.ok(units.includes(fieldConfig.defaults.unit), `${title}: ${fieldConfig.defaults.unit}`)
      assert.ok(targets.length > 0 && new Set(targets.map(({ refId }) => refId)).size === targets.length, title)
      const { x, y, w, h } = gridPos
      assert.ok(x >= 0 && x + w <= 24 && w > 0 && h > 0, title)
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          assert.ok(!taken.has(`${column} ${row}`), `${title} lies over another panel`)
          taken.add(`${column} ${row}`)
        }
    }
  }
})

test('each metric of a panel is one that processes serve and docs/operating.md has', () => {
  for (const { name, targets } of panels)
    for (const { expr } of targets)
      for (const metric of metricsIn(expr)) {
        if (ofPrometheus.includes(metric)) continue
        assert.ok(specOf(metric), `${name}: ${metric} is not in metric-specs.ts`)
        const family = specOf(metric)?.kind === 'histogram' ? metric.replace(/_(bucket|count|sum)$/, '') : metric
        assert.ok(docs.includes(`| \`${family}\` | ${specOf(metric)?.kind} |`), `${name}: ${family}`)
      }
})

test('each label of a panel is one that its metrics have, with a value that they can have', () => {
  for (const { name, dashboard, targets } of panels)
    for (const { expr, legendFormat } of targets) {
      const metrics = metricsIn(expr).filter(metric => !ofPrometheus.includes(metric))
      const known = [...metrics.flatMap(metric => Object.keys(specOf(metric)?.labels ?? {})), 'le', 'job', 'instance']
      for (const label of groupsIn(expr)) assert.ok(known.includes(label), `${name}: ${label}`)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        assert.ok(groupsIn(expr).includes(label), `${name}: ${label} is in the legend and not in the answer`)
      for (const { metric, label, value, isPattern } of matchersIn(expr)) {
        if (ofPrometheus.includes(metric) || label === 'job') continue
        const values = specOf(metric)?.labels[label]
        assert.ok(values, `${name}: ${metric}{${label}}`)
        if (value.startsWith('$'))
          assert.ok(
            dashboard.templating.list.some(each => `$${each.name}` === value),
            name,
          )
        else if (!isOpen(values)) {
          const wanted = isPattern ? values.filter(each => new RegExp(`^(?:${value})$`).test(each)) : [value]
          assert.ok(wanted.length > 0 && wanted.every(each => values.includes(each)), `${name}: ${label}="${value}"`)
        }
      }
    }
})

test('a panel says where it has nothing to show, and no other is empty there', () => {
  for (const { name, description, targets } of panels) {
    const helps = targets.flatMap(({ expr }) => metricsIn(expr).map(metric => specOf(metric)?.help ?? ''))
    for (const where of ['Only in a single process', 'Only on several machines'])
      assert.equal(
        description.includes(`${where}.`),
        helps.some(help => help.includes(where)),
        name,
      )
  }
})

test('each alert leads to a dashboard that shows one of its metrics, and alerts that are named are there', () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined)
  for (const { alert, expr, annotations } of alerts) {
    const dashboard = dashboards.find(({ uid }) => `/d/${uid}` === annotations?.dashboard)
    const shown = dashboard?.panels.flatMap(({ targets }) => targets.flatMap(target => metricsIn(target.expr))) ?? []
    assert.ok(
      metricsIn(expr).some(metric => shown.includes(metric)),
      `${alert}: ${annotations?.dashboard}`,
    )
  }
  const names = alerts.map(({ alert }) => alert)
  const fired = panels.flatMap(({ description }) => [...description.matchAll(/(\w+) fires/g)].map(([, name]) => name))
  assert.ok(fired.length > 5)
  for (const name of fired) assert.ok(names.includes(name), name)
})

test('durations of which a process knows the trace of some are shown with these, and Prometheus keeps them', () => {
  const traced = /http_server_request_duration|millhand_task_(wait|run)|millhand_webhook_try_duration/
  const durations = panels.flatMap(({ name, targets }) => targets.map(target => ({ ...target, name })))
  assert.ok(durations.some(({ exemplar }) => exemplar))
  for (const { name, expr, exemplar = false } of durations)
    assert.equal(exemplar, expr.includes('histogram_quantile') && traced.test(expr), name)
  assert.ok(yaml('compose.yaml').services.prometheus.command.includes('--enable-feature=exemplar-storage'))
})

test('each dashboard names the sections of docs/operating.md that say what to do', () => {
  for (const { uid, description } of dashboards) {
    const sections = [...description.matchAll(/docs\/operating\.md#([\w-]+)/g)].map(([, heading = '']) => heading)
    assert.ok(sections.length > 0, uid)
    for (const section of sections) assert.ok(headings.includes(section), `${uid}: ${section}`)
  }
})

test('Grafana finds the dashboards and Prometheus where compose.yaml has them, and budgets of 30 days are kept', () => {
  const { grafana, prometheus } = yaml('compose.yaml').services
  const [provider] = yaml('grafana/provisioning/dashboards/millhand.yaml').providers
  assert.ok(grafana.volumes.includes(`./grafana/dashboards:${provider.options.path}:ro`))
  assert.ok(grafana.volumes.includes('./grafana/provisioning:/etc/grafana/provisioning:ro'))
  assert.equal(grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH, `${provider.options.path}/overview.json`)
  const [source] = yaml('grafana/provisioning/datasources/prometheus.yaml').datasources
  assert.deepEqual([source.type, source.url], ['prometheus', 'http://prometheus:9090'])
  assert.equal(source.jsonData.timeInterval, yaml('prometheus/prometheus.yaml').global.scrape_interval)
  const [, days] = /retention\.time=(\d+)d/.exec(prometheus.command.join(' ')) ?? []
  assert.ok(Number(days) > 30)
})
