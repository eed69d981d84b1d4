import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createLog } from '@millhand/telemetry'
import { type ChildProcess, startChild } from './child-process.ts'
import { RunnerGone } from './runner.ts'

/** What measures a process there. */
const skip = process.platform === 'linux' ? false : 'needs Linux, whose /proc tells what a process uses'

const start = (
  read: () => object | undefined,
  lines: string[],
  script = new URL('./says-one.fixture.ts', import.meta.url),
) =>
  startChild({
    script: fileURLToPath(script),
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

describe('a process that is not watched from within', { skip, timeout: 120_000 }, () => {
  const usingMuch = async (t: TestContext, use: (child: ChildProcess<object, object>) => void) => {
    const child = start(() => undefined, [], new URL('./uses-much.fixture.ts', import.meta.url))
    t.after(() => child.kill())
    use(child)
    return await child.gone
  }

  it('is stopped from outside where it holds more memory than it may', async t => {
    const { reason } = await usingMuch(t, child => child.send({ use: 'memory' }))
    assert.equal(reason, 'out_of_memory')
  })

  it('is stopped from outside where it computes for longer than it may', async t => {
    const { reason, message } = await usingMuch(t, child => {
      child.limitProcessor(1_000)
      child.send({ use: 'processor' })
    })
    assert.equal(reason, 'processor_limit')
    assert.match(message, /more than 1 s of processor time/)
  })

  it('is what its parent measures until it is gone', async t => {
    const child = start(() => undefined, [], new URL('./uses-much.fixture.ts', import.meta.url))
    t.after(() => child.kill())
    // A process that has only just been started has none yet.
    while (child.memoryBytes() === 0) await new Promise(resolve => setImmediate(resolve))
    await child.kill()
    assert.equal(child.memoryBytes(), 0)
  })
})

const gone = (message: RegExp) => (error: unknown) =>
  error instanceof RunnerGone && error.reason === 'crashed' && message.test(error.message)
