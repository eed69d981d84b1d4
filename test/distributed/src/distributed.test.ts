/** The end-to-end suite, against several processes on Kafka and MongoDB's protocol. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { hostServer } from '@millhand/test-e2e/visit'
import { javaMissing, startKafka, startMongo, startWiredTiger, wiredTigerMissing } from '@millhand/test-servers'
import { recordQueries, withoutIndex } from './queries.ts'
import { runFile } from './run-file.ts'

const repository = resolve(import.meta.dirname, '../../..')

/**
 * What these hold is done before any service is called, in an executor or in a container engine, by the same code in both
 * shapes, or is of the one process: they run on one.
 */
const ofOneShape = [
  ...['docker-instances', 'docker-instances-faults', 'docker-instances-hostile', 'documents', 'http', 'onnx-nodes'],
  ...['metrics-under-load', 'own-models-memory'],
  ...['streaming-examples', 'webhook-examples'],
]
/** These take long, and what they hold is the same code in both shapes but for what starts it: `pnpm test:all` has them. */
const ofAllRuns = [
  ...['instance-executors', 'lifetime', 'misbehaving-senders', 'readme', 'schemathesis', 'sentence-embeddings'],
  'training-text',
  'text-generation',
  'webhook-targets',
  ...['workforce-hostile', 'workforce-kinds', 'workforce-local-model', 'workforce-meaning'],
  ...['workforce-photographs', 'workforce-written'],
]
const leftOut = (process.env.TEST_ALL === undefined ? [...ofOneShape, ...ofAllRuns] : ofOneShape).map(
  name => `test/e2e/src/${name}.test.ts`,
)

/** So many files run at once. */
const LANES = 2

/** Every run has one part of the files so many, by the commit (`TEST_PART`), as it has one of the storms. */
const PARTS = 3

test('distributed', { skip: javaMissing }, async t => {
  await using kafka = await startKafka()
  await using mongo = await startMongo()
  await using recorder = await recordQueries(mongo.address)
  Object.assign(process.env, {
    TEST_KAFKA: kafka.address,
    TEST_MONGO: mongo.address, // What tests themselves read is no query of the services.
    TEST_MONGO_OF_SERVICES: recorder.address,
    MILLHAND_TEST_START: `${process.execPath} --disable-warning=ExperimentalWarning test/distributed/src/start-distributed.ts`,
  })
  const { TEST_FILES: named, TEST_PART: part } = process.env
  const all = 'test/e2e/src/*.test.ts'
  const files = globSync(named ?? all, { cwd: repository, exclude: named === undefined ? leftOut : [] })
    .sort()
    .filter((_, index) => named !== undefined || part === undefined || index % PARTS === Number(part) % PARTS)
  assert.ok(files.length > 0, `no file is ${named}`)
  const { visiting = [], others = [] } = Object.groupBy(files, file => (visits(file) ? 'visiting' : 'others'))
  // Those that start it most often last longest.
  others.sort((a, b) => starts(b) - starts(a))
  const lanes = Array.from({ length: Math.min(LANES, files.length) }, () => lane(t, visiting, others))
  for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason

  await t.test('every query that was made uses an index', { skip: wiredTigerMissing }, async t => {
    t.diagnostic(`${recorder.queries.size} queries`)
    assert.ok(recorder.queries.size > 0)
    await using judge = await startWiredTiger()
    assert.deepEqual(await withoutIndex(recorder, judge.url()), [])
  })
})

/** Takes one file after the other: first those that only call a server, all of them on one, which takes long to start. */
async function lane(t: TestContext, visiting: string[], others: string[]): Promise<void> {
  if (visiting.length > 0) {
    const host = await hostServer()
    for (let file = visiting.shift(); file; file = visiting.shift())
      await runFile(t, file, { cwd: repository, env: { TEST_SHARED: host.shared } })
    await host.close()
  }
  for (let file = others.shift(); file; file = others.shift()) await runFile(t, file, { cwd: repository, env: {} })
}

const textOf = (file: string) => readFileSync(join(repository, file), 'utf8')
const visits = (file: string) => /\bvisitServer\(/.test(textOf(file))
const starts = (file: string) => textOf(file).match(/\b(startServer|refusal|restart)\(/g)?.length ?? 0
