/** `docs/adding-a-service.md` names every file that a service is written in, and its example is a service that runs. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createApiKey } from '@millhand/api'
import { inherited, start } from './processes.fixture.ts'
import { copyTree, linkPackages } from './tree-copy.fixture.ts'
import { fileBlocks, writeBlock } from './worked-example.fixture.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}docs/adding-a-service.md`, 'utf8')
const [, table = ''] = /\| file \| content \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? []
const files = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, file = '']) => file)
const filesOf = (service: string) => files.map(file => file.replaceAll('<service>', service))
const blocks = fileBlocks(page)

const copy = mkdtempSync(join(tmpdir(), 'millhand-new-service-'))
after(() => rmSync(copy, { recursive: true, force: true }))

/** A command in a folder of the copy, with the programs of its packages. */
async function run(words: readonly string[], folder = '.'): Promise<void> {
  const bins = ['.', 'proto'].map(each => join(copy, each, 'node_modules/.bin'))
  const env = { ...inherited, PATH: [...bins, process.env.PATH].join(delimiter) }
  const [command = '', ...rest] = words
  await promisify(execFile)(command, rest, { cwd: join(copy, folder), env }).catch(({ stdout, stderr }) => {
    assert.fail(`${words.join(' ')}\n${stdout}${stderr}`)
  })
}

const node = [process.execPath, '--disable-warning=ExperimentalWarning']

before(async () => {
  copyTree(root, copy)
  for (const block of blocks) writeBlock(copy, block)
  // As `pnpm add` would.
  const deploy = join(copy, 'deploy/package.json')
  const manifest = JSON.parse(readFileSync(deploy, 'utf8'))
  manifest.dependencies['@millhand/budget'] = 'workspace:*'
  writeFileSync(deploy, JSON.stringify(manifest))
  linkPackages(root, copy)
  await run(['buf', 'generate'], 'proto')
  await run([...node, 'src/validation/generate.ts'], 'libs/rpc')
  await run([...node, 'src/openapi/generate.ts'], 'gateway')
  await run([...node, 'src/generate-tables.ts'], 'deploy')
})

test('the example writes each file of the table, and no other; they are at most twelve', () => {
  // A service with a list, such as `GET /v1/instances`, has one file more: `account-resources.ts`.
  assert.ok(files.length + 1 <= 12, `${files.length} files`)
  const patterns = filesOf('budget').map(file => new RegExp(`^${file.replaceAll(/<\w+>/g, '[\\w-]+')}$`))
  const written = blocks.map(({ path }) => path)
  assert.equal(written.length, patterns.length)
  for (const [at, pattern] of patterns.entries()) assert.match(written[at] ?? '', pattern)
})

test('the copy answers the endpoint of the example', async () => {
  const key = createApiKey('live')
  await using server = start([join(copy, 'deploy/src/start.ts')], {
    MILLHAND_HTTP_ADDR: '127.0.0.1:0',
    MILLHAND_GRPC_ADDR: '127.0.0.1:0',
    MILLHAND_METRICS_ADDR: '127.0.0.1:0',
    MILLHAND_DATA_DIR: join(copy, 'data'),
    MILLHAND_BOOTSTRAP_KEY: key,
  })
  const { http } = await server.ready
  const answer = await fetch(`${http}/v1/budget`, { headers: { authorization: `Bearer ${key}` } })
  const [, shown = ''] = /answers `GET \/v1\/budget` with:\n\n```json\n(.*?)```/s.exec(page) ?? []
  assert.deepEqual(await answer.json(), JSON.parse(shown))
  assert.equal((await fetch(`${http}/v1/budget`)).status, 401)
})

test('the types of the copy fit, and what holds services to the table finds no fault', async () => {
  await run(['tsc', '--noEmit', '-p', '.'])
  await run([
    ...[...node, '--test', 'deploy/src/services.test.ts', 'deploy/src/settings-in-docs.test.ts'],
    ...['deploy/src/processes/credentials.test.ts', 'test/check/src/architecture.test.ts'],
  ])
  await run([
    ...node,
    '--test',
    '--test-name-pattern=tells every process|reach each other',
    'deploy/src/compose.test.ts',
  ])
})

test('no other file of the wiring names a service', () => {
  // One that neither the gateway nor an operator calls by its name. Executors have tasks of that name, and storms leave it out.
  const service = 'batch'
  const others = ['deploy/src/executors.ts', 'deploy/src/processes/instance-executor.ts', 'test/faults/src/system.ts']
  const names = new RegExp(`@millhand/${service}'|['"\` ]${service}['"\`:]`)
  const wiring = globSync(
    ['deploy/src/**/*.ts', 'deploy/*.yaml', 'gateway/src/*.ts', 'libs/rpc/src/**/*.ts', 'test/faults/src/system.ts'],
    {
      cwd: root,
    },
  ).filter(path => !/\.(test|fixture)\.ts$/.test(path))
  const naming = wiring.filter(path => names.test(readFileSync(`${root}${path}`, 'utf8')))
  assert.deepEqual(
    naming.filter(path => ![...filesOf(service), ...others].includes(path)),
    [],
  )
})
