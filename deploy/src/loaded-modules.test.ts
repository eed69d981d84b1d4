/** A process loads no package that its shape has no use for: each costs time at the start, and memory for ever. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Environment, start } from './processes.fixture.ts'

const folder = await mkdtemp(join(tmpdir(), 'millhand-modules-'))
after(() => rm(folder, { recursive: true }))

const START = fileURLToPath(new URL('./start.ts', import.meta.url))
const LISTING = new URL('./loaded-modules.fixture.ts', import.meta.url).href

/** The packages of which the one process has loaded code when it is ready. */
async function loadedPackages(env: Environment): Promise<ReadonlySet<string>> {
  const list = join(folder, 'loaded')
  const address = '127.0.0.1:0'
  const addresses = { MILLHAND_HTTP_ADDR: address, MILLHAND_GRPC_ADDR: address, MILLHAND_METRICS_ADDR: address }
  await using process = start(['--import', LISTING, START], {
    ...addresses,
    MILLHAND_DATA_DIR: join(folder, 'data'),
    LOADED_MODULES_FILE: list,
    ...env,
  })
  await process.ready
  process.kill('SIGTERM')
  await process.end
  const urls = (await readFile(list, 'utf8')).split('\n').filter(url => /\.[cm]?[jt]s$/.test(url))
  return new Set(urls.flatMap(url => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []))
}

/** Of several machines, of engines of containers, and of processes that models and employees live in. */
const unused = [
  ...['kafkajs', 'mongodb', 'bson', '@grpc/grpc-js', 'undici'],
  ...['@opentelemetry/api', '@opentelemetry/sdk-node', '@opentelemetry/sdk-trace', '@opentelemetry/resources'],
  ...['@opentelemetry/sdk-metrics', '@opentelemetry/exporter-prometheus'],
  ...['onnxruntime-node', 'node-llama-cpp', '@duckdb/node-api', 'echarts'],
]

test('one process loads nothing that it has no use for', async () => {
  const loaded = await loadedPackages({})
  assert.ok(loaded.has('@bufbuild/protobuf'), 'the list is one of packages')
  assert.deepEqual(
    unused.filter(name => loaded.has(name)),
    [],
  )
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
