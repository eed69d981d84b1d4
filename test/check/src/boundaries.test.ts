import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { after, test } from 'node:test'
import { execute, root } from './execute.ts'

interface Fault {
  readonly rule: { readonly name: string }
  readonly from: string
  readonly to: string
}

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** A house of these imports, from file to file, and what of it breaks which rule. */
async function broken(imports: readonly (readonly [from: string, to: string])[], what = ''): Promise<string[]> {
  const house = mkdtempSync(join(tmpdir(), 'millhand-boundaries-'))
  folders.push(house)
  const files = new Map<string, string[]>([['tsconfig.json', ['{}']]])
  for (const [from, to] of imports) {
    const target = to.startsWith('node:') ? to : `./${relative(dirname(from), to)}`
    files.set(from, [...(files.get(from) ?? []), `import ${what}'${target}'`])
    if (!to.startsWith('node:') && !files.has(to)) files.set(to, [])
  }
  for (const [file, lines] of files) {
    mkdirSync(join(house, dirname(file)), { recursive: true })
    writeFileSync(join(house, file), lines.join('\n'))
  }
  const parts = ['gateway', 'services', 'libs', 'deploy', 'test'].filter(part =>
    [...files.keys()].some(file => file.startsWith(`${part}/`)),
  )
  const config = join(root, '.dependency-cruiser.mjs')
  const { output } = await execute(
    ['depcruise', '--config', config, '--output-type', 'json', ...parts],
    relative(root, house),
  )
  return JSON.parse(output).summary.violations.map((fault: Fault) => `${fault.rule.name}: ${fault.from} → ${fault.to}`)
}

test('imports that the architecture allows', async () => {
  const allowed = [
    ['deploy/src/local.ts', 'services/compute/src/compute.ts'],
    ['deploy/src/local.ts', 'libs/store/src/sqlite/sqlite.ts'],
    ['deploy/src/local.ts', 'services/executor/src/onnx/onnx-runner.ts'],
    ['services/compute/src/compute.ts', 'services/compute/src/task.ts'],
    ['services/compute/src/compute.ts', 'libs/store/src/index.ts'],
    ['services/compute/src/compute.test.ts', 'libs/store/src/sqlite/sqlite.ts'],
    ['libs/eventlog/src/sqlite/sqlite.ts', 'libs/store/src/sqlite/sqlite.ts'],
    ['libs/store/src/sqlite/sqlite.ts', 'node:sqlite'],
    ['services/workforce/employees/emma/answer_ticket/engine.ts', 'services/workforce/employees/emma/names.ts'],
    ['services/workforce/employees/emma/answer_ticket/a/b.ts', 'services/workforce/employees/emma/answer_ticket/c.ts'],
    ['services/workforce/employees/emma/names.ts', 'services/workforce/employees/src/text/tone.ts'],
    ['services/workforce/employees/src/text/a.test.ts', 'services/workforce/employees/alex/debug/engine.ts'],
    ['services/workforce/employees/src/answer.ts', 'services/workforce/src/employee.ts'],
    ['services/workforce/employees/src/a.test.ts', 'services/workforce/src/required-inputs.ts'],
    ['deploy/src/local.ts', 'services/workforce/employees/src/catalogue.ts'],
    ['services/compute/src/compute.test.ts', 'services/compute/src/compute.fixture.ts'],
    ['services/compute/src/compute.fixture.ts', 'libs/store/src/sqlite/sqlite.ts'],
    ['test/e2e/src/server.ts', 'deploy/src/local.ts'],
  ] as const
  assert.deepEqual(await broken(allowed), [])
})

/** Which rule each import breaks. */
const forbidden = [
  ['services-stand-alone', 'services/compute/src/compute.ts', 'services/identity/src/identity.ts'],
  ['services-stand-alone', 'services/compute/src/compute.ts', 'gateway/src/gateway.ts'],
  ['gateway-knows-no-service', 'gateway/src/gateway.ts', 'services/executor/src/executor.ts'],
  ['workforce-knows-no-employee', 'services/workforce/src/task.ts', 'services/workforce/employees/src/catalogue.ts'],
  [
    'employees-know-the-port',
    'services/workforce/employees/src/answer.ts',
    'services/workforce/src/required-inputs.ts',
  ],
  ['employees-stand-alone', 'services/workforce/employees/maya/facts.ts', 'services/workforce/employees/emma/names.ts'],
  [
    'employees-stand-alone',
    'services/workforce/employees/src/text/tone.ts',
    'services/workforce/employees/emma/names.ts',
  ],
  ['employees-read-no-library', 'services/workforce/employees/alex/spelling.ts', 'libs/api/src/nearest.ts'],
  ['nothing-names-a-kind', 'deploy/src/local.ts', 'services/workforce/employees/alex/debug/engine.ts'],
  [
    'nothing-names-a-kind',
    'services/workforce/employees/emma/names.ts',
    'services/workforce/employees/emma/sentiment_analysis/label.ts',
  ],
  [
    'nothing-names-a-kind',
    'services/workforce/employees/emma/write_response/checks.ts',
    'services/workforce/employees/emma/answer_ticket/compose.ts',
  ],
  ['libs-are-below', 'libs/lease/src/pool.ts', 'services/compute/src/compute.ts'],
  ['api-is-the-ground', 'libs/api/src/ids.ts', 'libs/store/src/index.ts'],
  ['deploy-alone-chooses-adapters', 'services/compute/src/compute.ts', 'libs/store/src/sqlite/sqlite.ts'],
  ['deploy-alone-chooses-adapters', 'services/executor/src/executor.ts', 'services/executor/src/onnx/onnx-runner.ts'],
  ['sqlite-is-an-adapter', 'services/compute/src/compute.ts', 'node:sqlite'],
  ['engines-are-behind-adapters', 'libs/store/src/collection.ts', 'node_modules/mongodb/index.js'],
  ['engines-are-behind-adapters', 'libs/eventlog/src/event-log.ts', 'node_modules/kafkajs/index.js'],
  ['product-without-tests', 'services/compute/src/compute.ts', 'test/e2e/src/server.ts'],
  ['product-without-tests', 'services/compute/src/compute.ts', 'services/compute/src/compute.test.ts'],
  ['product-without-tests', 'services/compute/src/compute.ts', 'services/compute/src/compute.fixture.ts'],
  ['product-without-tests', 'gateway/src/gateway.ts', 'gateway/test/wire.ts'],
] as const

test('imports that the architecture forbids, each with the rule that it breaks', async () => {
  const found = await broken(forbidden.map(([, from, to]) => [from, to]))
  assert.deepEqual(found.sort(), forbidden.map(([rule, from, to]) => `${rule}: ${from} → ${to}`).sort())
})

for (const what of ['', 'type {} from ']) {
  test(`no circle of \`import ${what}'…'\``, async () => {
    const circle = [
      ['libs/lease/src/a.ts', 'libs/lease/src/b.ts'],
      ['libs/lease/src/b.ts', 'libs/lease/src/a.ts'],
    ] as const
    assert.match((await broken(circle, what)).join(), /no-cycles/)
  })
}
