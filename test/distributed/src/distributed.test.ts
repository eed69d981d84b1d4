/** The end-to-end suite, against several processes on Kafka and MongoDB's protocol. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { javaMissing, startKafka, startMongo } from '@millhand/test-servers'
import type { TestLine } from './line-reporter.ts'

const repository = resolve(import.meta.dirname, '../../..')
const node = ['--disable-warning=ExperimentalWarning']

/** What these hold is done before any service is called, by the same code in both shapes: they run on one. */
const ofOneShape = ['documents', 'http', 'streaming-examples', 'webhook-examples'].map(
  name => `test/e2e/src/${name}.test.ts`,
)

test('distributed', { skip: javaMissing }, async t => {
  await using kafka = await startKafka()
  await using mongo = await startMongo()
  const { TEST_FILES: named } = process.env
  const all = 'test/e2e/src/*.test.ts'
  const files = globSync(named ?? all, { cwd: repository, exclude: named === undefined ? ofOneShape : [] })
  const child = spawn(
    process.execPath,
    [
      ...node,
      '--test',
      '--test-concurrency=2',
      `--test-reporter=${join(import.meta.dirname, 'line-reporter.ts')}`,
      '--test-reporter-destination=stdout',
      ...files,
    ],
    {
      cwd: repository,
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_TEST_CONTEXT')),
        TEST_KAFKA: kafka.address,
        TEST_MONGO: mongo.address,
        MILLHAND_TEST_START: [process.execPath, ...node, 'test/distributed/src/start-distributed.ts'].join(' '),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'close')
  let count = 0
  for await (const text of createInterface({ input: child.stdout })) {
    const line: TestLine = JSON.parse(text)
    if (line.isSuite) continue
    count++
    await t.test(`${basename(line.file)}: ${line.name}`, { skip: line.skipped }, () => {
      if (line.error !== undefined) throw new Error(line.error)
    })
  }
  const [code] = await ended
  if (count === 0) throw new Error(`no test ran (code ${code})`)
})
