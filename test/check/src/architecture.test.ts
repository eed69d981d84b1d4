/** `docs/architecture.md` has the libraries, layers, services and topics of the code. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './execute.ts'

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const foldersOf = (parent: string) =>
  readdirSync(join(root, parent), { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))

test('docs/architecture.md has each library once, above the libraries that it imports', () => {
  const rows = [...page.matchAll(/^\| (\d) \| \[`([\w-]+)`\]/gm)]
  const layers = new Map(rows.map(([, layer, name]) => [name, Number(layer)]))
  assert.deepEqual(rows.map(([, , name]) => name).sort(), foldersOf('libs').sort())
  for (const [name, layer] of layers) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, `libs/${name}/package.json`), 'utf8'))
    for (const dependency of Object.keys(dependencies)) {
      const below = layers.get(dependency.replace('@millhand/', ''))
      assert.ok(!dependency.startsWith('@millhand/') || (below ?? layer) < layer, `${name} imports ${dependency}`)
    }
  }
})

test('docs/architecture.md names every service and every topic', () => {
  for (const service of foldersOf('services')) assert.match(page, new RegExp(`^\\| ${service}\\b`, 'm'))
  const topics = [
    ...readFileSync(join(root, 'libs/eventlog/src/public-topics.ts'), 'utf8').matchAll(/'(millhand\.\w+\.v1)'/g),
  ]
  assert.ok(topics.length >= 7)
  for (const [, topic] of topics) assert.ok(page.includes(`\`${topic}\``), topic)
})
