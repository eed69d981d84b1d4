/** The documentation has every setting of every process. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Described } from '@millhand/runner'
import { type MetricSpec, metricSpecs } from '@millhand/telemetry'
import { localVariables } from './local-config.ts'
import { billingVariables } from './processes/billing.ts'
import { computeVariables } from './processes/compute.ts'
import { executorVariables } from './processes/executor.ts'
import { gatewayVariables } from './processes/gateway.ts'
import { identityVariables } from './processes/identity.ts'
import { webhookVariables } from './processes/webhook.ts'
import { workforceVariables } from './processes/workforce.ts'

const METRIC = /millhand_[a-z]+(?:_[a-z]+)+/g

function assertTable(page: string, head: string, rows: readonly string[]) {
  const document = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const table = [head, head.replaceAll(/[^|]+/g, '---'), ...rows].join('\n')
  assert.ok(document.includes(`\n\n${table}\n\n`), `it should hold this table:\n${table}`)
}

const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``)

test('docs/operating.md has the settings of the one process', () => {
  const rows = localVariables
    .describe()
    .map(each => `| \`${each.name}\` | ${code(each.default)} | ${each.form} | ${each.doc} |`)
  assertTable('operating.md', '| variable | default | form | |', rows)
})

test('docs/many-machines.md has the settings of each process', () => {
  const processes = {
    gateway: gatewayVariables,
    identity: identityVariables,
    compute: computeVariables,
    workforce: workforceVariables,
    executor: executorVariables,
    billing: billingVariables,
    webhook: webhookVariables,
  }
  const readers = new Map<string, string[]>()
  const known = new Map<string, Described>()
  for (const [name, variables] of Object.entries(processes)) {
    for (const each of variables.describe()) {
      known.set(each.name, each)
      readers.set(each.name, [...(readers.get(each.name) ?? []), each.required ? `**${name}**` : name])
    }
  }
  const rows = [...known.values()].map(
    each =>
      `| \`${each.name}\` | ${readers.get(each.name)?.join(', ')} | ${code(each.default)} | ${each.form} | ${each.doc} |`,
  )
  assertTable('many-machines.md', '| variable | read by | default | form | |', rows)
})

test('docs/operating.md has every metric, and names none that there is not', () => {
  const rows = Object.entries<MetricSpec>(metricSpecs).map(([name, { kind, help, labels }]) => {
    const values = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${values.join(', ')}`)
    return `| \`${name}\` | ${kind} | ${values.join('; ')} | ${help} |`
  })
  assertTable('operating.md', '| metric | kind | labels | |', rows)
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  for (const [name] of page.matchAll(METRIC)) assert.ok(name in metricSpecs, name)
})
