/** The alert rules of `deploy/prometheus`: each fires in its own fault, and none in an hour of ordinary load. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it, test } from 'node:test'
import { isOpen } from '@millhand/telemetry'
import { prometheusMissing } from '@millhand/test-servers'
import { parse } from 'yaml'
import { matchersIn, metricsIn, specOf } from './promql.fixture.ts'
import { serviceNames, services } from './services.ts'

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: { readonly summary?: string; readonly runbook?: string }
}

interface RuleTest {
  readonly input_series: readonly { readonly series: string }[]
  readonly promql_expr_test: readonly { readonly exp_samples: readonly { readonly labels: string }[] }[]
}

const folder = resolve(import.meta.dirname, '../prometheus')
const docs = readFileSync(resolve(import.meta.dirname, '../../docs/operating.md'), 'utf8')
const read = (name: string) => parse(readFileSync(resolve(folder, name), 'utf8'))

const rules: Rule[] = read('alerts.yaml').groups.flatMap((group: { rules: Rule[] }) => group.rules)
const alerts = rules.filter(rule => rule.alert !== undefined)
const recorded = rules.flatMap(rule => rule.record ?? [])
const files = readdirSync(resolve(folder, 'tests'))
const testsOf = (file: string): RuleTest[] => read(`tests/${file}`).tests

test('each metric of the rules is one that processes serve', () => {
  for (const { expr } of rules)
    for (const name of metricsIn(expr))
      assert.ok(name === 'up' || recorded.includes(name) || specOf(name), `${name} is not in metric-specs.ts`)
})

test('each value of a label in the rules is one that the metric has', () => {
  const exact = rules.flatMap(({ expr }) => matchersIn(expr)).filter(({ isPattern }) => !isPattern)
  const closed = exact.flatMap(each => {
    const values = specOf(each.metric)?.labels[each.label]
    return each.label === 'job' || isOpen(values) ? [] : [{ ...each, values }]
  })
  assert.ok(closed.length > 0)
  for (const { metric, label, value, values } of closed)
    assert.ok(values?.includes(value), `${metric}{${label}="${value}"}`)
})

test('each alert has a severity, a summary and a section of docs/operating.md, and stands in its table', () => {
  const headings = [...docs.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
  for (const { alert = '', labels, annotations } of alerts) {
    assert.ok(['critical', 'warning'].includes(labels?.severity ?? ''), alert)
    assert.ok(annotations?.summary, alert)
    const [page, heading = ''] = annotations.runbook?.split('#') ?? []
    assert.equal(page, 'docs/operating.md', alert)
    assert.ok(headings.includes(heading), `${alert}: ${heading}`)
    assert.match(docs, new RegExp(`^\\| \`${alert}\` \\| ${labels?.severity} \\|`, 'm'))
  }
})

test('Prometheus reads every service, and the rules know which of them have owners', () => {
  const [{ dns_sd_configs }] = read('prometheus.yaml').scrape_configs
  assert.deepEqual([...dns_sd_configs[0].names].sort(), [...serviceNames].sort())
  const { expr = '' } = alerts.find(({ alert }) => alert === 'ServiceHasNoOwner') ?? {}
  const [, named = ''] = /millhand-\(([a-z|]+)\)/.exec(expr) ?? []
  assert.deepEqual(named.split('|').sort(), serviceNames.filter(name => services[name].owned).sort())
})

test('each alert fires in a fault, and each metric of the rules is in the hour of ordinary load', () => {
  const firing = files
    .flatMap(testsOf)
    .flatMap(({ promql_expr_test }) =>
      promql_expr_test.flatMap(({ exp_samples }) =>
        exp_samples.map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1]),
      ),
    )
  assert.deepEqual([...new Set(firing)].sort(), alerts.map(({ alert }) => alert).sort())
  const ordinary = testsOf('ordinary-load.yaml')
  assert.ok(ordinary.every(({ promql_expr_test }) => promql_expr_test.every(each => each.exp_samples.length === 0)))
  const loaded = new Set(ordinary.flatMap(each => each.input_series.map(({ series }) => series.replace(/\{.*/, ''))))
  for (const { expr } of rules)
    for (const name of metricsIn(expr)) assert.ok(recorded.includes(name) || loaded.has(name), name)
})

describe('promtool', { skip: prometheusMissing() }, () => {
  const promtool = (...words: string[]) => execFileSync('promtool', words, { cwd: folder, encoding: 'utf8' })

  it('takes the rules and the configuration', () => {
    assert.match(promtool('check', 'rules', 'alerts.yaml'), new RegExp(`SUCCESS: ${rules.length} rules found`))
    assert.match(promtool('check', 'config', 'prometheus.yaml'), /SUCCESS: prometheus\.yaml is valid/)
  })

  for (const file of files)
    it(`passes ${file}`, () => assert.match(promtool('test', 'rules', `tests/${file}`), /SUCCESS/))
})
