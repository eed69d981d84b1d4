import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createLog } from '@millhand/telemetry'
import { startChild } from './child-process.ts'
import { RunnerGone } from './runner.ts'

const start = (read: () => object | undefined, lines: string[]) =>
  startChild({
    script: fileURLToPath(new URL('./says-one.fixture.ts', import.meta.url)),
    read,
    ahead: 0,
    messageBytes: 1_000,
    memoryLimitBytes: 256 * 2 ** 20,
    lock: { code: { 'libs/worker': [] }, native: false },
    fileBytes: 0,
    log: createLog({ level: 'debug', write: line => lines.push(line), format: 'json' }),
  })

it('a process that says what can not be read has crashed, and a fault of the reader is told as that', async () => {
  const unknown: string[] = []
  await assert.rejects(start(() => undefined, unknown).next(), gone(/said what it may not/))
  assert.deepEqual(unknown, [])
  const broken: string[] = []
  const failing = () => {
    throw new TypeError('the reader is broken')
  }
  await assert.rejects(start(failing, broken).next(), gone(/said what it may not/))
  assert.match(broken.join(''), /"level":"error".*worker\.read_failed.*the reader is broken/)
})

const gone = (message: RegExp) => (error: unknown) =>
  error instanceof RunnerGone && error.reason === 'crashed' && message.test(error.message)
