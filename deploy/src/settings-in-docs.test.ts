/** The documentation has every setting of every process. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Described } from '@millhand/process'
import { type MetricSpec, metricSpecs } from '@millhand/telemetry'
import { localVariables } from './local-config.ts'
import { processes } from './processes/processes.ts'
import { serviceNames } from './services.ts'

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

test('docs/many-machines.md has the settings of each process', async () => {
  const readers = new Map<string, string[]>()
  const known = new Map<string, Described>()
  for (const name of serviceNames) {
    const { variables } = await processes[name]()
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
