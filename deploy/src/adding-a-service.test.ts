/** `docs/adding-a-service.md` names every file that a service is written in. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}docs/adding-a-service.md`, 'utf8')
const [, table = ''] = /\| file \| content \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? []
const files = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, file = '']) => file)

test('the files are at most twelve', () => {
  assert.ok(files.length > 0 && files.length <= 12, `${files.length} files`)
})

/** Billing is the service that the page says to copy from. */
const service = 'billing'

for (const file of files) {
  test(`billing is written in ${file}`, () => {
    const pattern = file.replaceAll('<service>', service).replaceAll(/<\w+>/g, '*')
    const found = globSync(pattern, { cwd: root })
    assert.ok(found.length > 0, pattern)
    const says = found.map(path => readFileSync(`${root}${path}`, 'utf8'))
    assert.ok(says.some(text => /billing|usage/i.test(text)))
  })
}

test('no other file of the wiring names it', () => {
  const names = new RegExp(`@millhand/${service}'|['"\` ]${service}['"\`:]`)
  const wiring = globSync(
    ['deploy/src/**/*.ts', 'deploy/*.yaml', 'gateway/src/*.ts', 'libs/rpc/src/**/*.ts', 'test/faults/src/system.ts'],
    {
      cwd: root,
    },
  ).filter(path => !/\.(test|fixture)\.ts$/.test(path))
  const naming = wiring.filter(path => names.test(readFileSync(`${root}${path}`, 'utf8')))
  const allowed = files.map(file => file.replaceAll('<service>', service))
  assert.deepEqual(
    naming.filter(path => !allowed.includes(path)),
    [],
  )
})
