/** A process loads no package that its shape has no use for: each costs time at the start, and memory for ever. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { COMPILED } from './compile-cache.ts'
import { type Environment, start } from './processes.fixture.ts'

const folder = await mkdtemp(join(tmpdir(), 'millhand-modules-'))
after(() => rm(folder, { recursive: true }))

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START = fileURLToPath(new URL('./start.ts', import.meta.url))
const LISTING = new URL('./loaded-modules.fixture.ts', import.meta.url).href

const address = '127.0.0.1:0'
const addresses = { MILLHAND_HTTP_ADDR: address, MILLHAND_GRPC_ADDR: address, MILLHAND_METRICS_ADDR: address }

/** The packages of which the one process has loaded code when it is ready. */
async function loadedPackages(env: Environment): Promise<ReadonlySet<string>> {
  const urls = (await loadedModules(env)).filter(url => /\.[cm]?[jt]s$/.test(url))
  return new Set(urls.flatMap(url => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []))
}

async function loadedModules(env: Environment): Promise<string[]> {
  const list = join(folder, 'loaded')
  await using process = start(['--import', LISTING, START], {
    ...addresses,
    MILLHAND_DATA_DIR: join(folder, 'data'),
    LOADED_MODULES_FILE: list,
    ...env,
  })
  await process.ready
  process.kill('SIGTERM')
  await process.end
  return (await readFile(list, 'utf8')).split('\n')
}

/** Of several machines, of engines of containers, of processes that models and employees live in, and of rare requests. */
const unused = [
  ...['kafkajs', 'mongodb', 'bson', '@grpc/grpc-js', 'undici'],
  ...['@opentelemetry/api', '@opentelemetry/sdk-node', '@opentelemetry/sdk-trace', '@opentelemetry/resources'],
  ...['@opentelemetry/sdk-logs', '@opentelemetry/sdk-metrics', '@opentelemetry/exporter-prometheus'],
  ...['onnxruntime-node', 'node-llama-cpp', '@duckdb/node-api', 'echarts'],
  // Loaded with the first form, the first invoice as CSV, and the first task of an AI employee.
  ...['@fastify/busboy', 'csv-stringify', 'ajv', 'ajv-formats'],
]

test('one process loads nothing that it has no use for', async () => {
  const loaded = await loadedPackages({})
  assert.ok(loaded.has('@bufbuild/protobuf'), 'the list is one of packages')
  assert.deepEqual(
    unused.filter(name => loaded.has(name)),
    [],
  )
})

test('a second start by the script of package.json parses no TypeScript', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const [, cache = ''] = /^NODE_COMPILE_CACHE=(\S+) node /.exec(scripts.start) ?? []
  assert.equal(cache, relative(ROOT, COMPILED))
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const isParser = (name: string) => name.includes('internal/deps/amaro')
  assert.ok((await loadedModules(env)).some(isParser), 'the first start parses')
  assert.ok(!(await loadedModules(env)).some(isParser))
})

test('a start caches its module resolutions beside its compiled code', async () => {
  const compiled = join(folder, 'with-resolutions')
  const env = { ...addresses, MILLHAND_DATA_DIR: join(folder, 'data'), NODE_COMPILE_CACHE: compiled }
  await using process = start([START], env)
  await process.ready
  process.kill('SIGTERM')
  await process.end
  const file = (await readdir(compiled, { recursive: true })).find(name => name.endsWith('resolutions.json'))
  const { imports } = JSON.parse(await readFile(join(compiled, file ?? 'missing'), 'utf8'))
  assert.match(imports['deploy/src/start.ts']['./local-process.ts'].toString(), /^\d+$/)
  assert.ok('libs/store/src/sqlite/sqlite.ts' in imports)
})

test('a first start has written its compiled code before it serves: a disk may take long for it', async () => {
  const own = { MILLHAND_DATA_DIR: join(folder, 'first'), NODE_COMPILE_CACHE: join(folder, 'first-compiled') }
  await using process = start([START], { ...addresses, ...own })
  await process.ready
  const files = await readdir(own.NODE_COMPILE_CACHE, { recursive: true })
  assert.ok(files.length > 500, `${files.length} files`)
})

test('the SDK of traces is loaded where a collector is named, with the exporter of its protocol', async () => {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  const loaded = await loadedPackages(collector)
  for (const name of ['@opentelemetry/sdk-node', '@grpc/grpc-js']) assert.ok(loaded.has(name), name)
})

test('the client of container engines is loaded where one is configured', async () => {
  const engine = { MILLHAND_INSTANCE_DRIVER: 'docker', DOCKER_HOST: `unix://${join(folder, 'none.sock')}` }
  assert.ok((await loadedPackages(engine)).has('undici'))
})
