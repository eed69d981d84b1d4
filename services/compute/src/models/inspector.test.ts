/** Whether a file is refused or can't be looked into now follows from how the process ended. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { codeOf } from '@millhand/api'
import { systemClock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { createInspector, ModelInvalid } from './inspector.ts'

const { PATH } = process.env
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-inspector-'))
  process.env.PATH = `${folder}:${PATH}`
})
after(async () => {
  process.env.PATH = PATH
  await rm(folder, { recursive: true })
})

const oneByte = async () => Readable.from(['x'])

/** Looks into a file by a process that runs this shell script. */
async function inspectBy(script: string, { bytes = 1, open = oneByte } = {}): Promise<unknown> {
  await writeFile(join(folder, 'sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const inspector = createInspector({ clock: systemClock, log: createLog({ level: 'error', write: () => {} }) })
  const file = { tenant: 'acct_a/live', bytes, open }
  return await inspector.inspect(file, new AbortController().signal).then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
}

test('a process that needs more memory than it may have has a file that is refused', async () => {
  const error = await inspectBy(`printf '\\nmillhand: out of memory\\n' >&2; exit 134`)
  assert.ok(error instanceof ModelInvalid, String(error))
  assert.match(error.message, /more memory/)
})

for (const [ends, script] of [
  ['with an error', 'exit 1'],
  ['by a signal', 'kill -SEGV $$'],
  ['without an answer', 'exit 0'],
] as const) {
  test(`a process that ends ${ends} says nothing of the file: another try may work`, async () => {
    const error = await inspectBy(script)
    assert.ok(!(error instanceof ModelInvalid))
    assert.equal(codeOf(error), 'unavailable')
  })
}

test('the processor time that a file may cost grows with its size, up to a bound', async () => {
  const limits: string[] = []
  for (const mib of [0, 16, 512]) {
    await inspectBy(`printf %s "$5" > '${folder}/limit'; exit 1`, { bytes: mib * 2 ** 20 })
    limits.push(await readFile(join(folder, 'limit'), 'utf8'))
  }
  // With 5 s more, to which the kernel holds it.
  assert.deepEqual(limits, ['8', '12', '25'])
})

test('a disk that is full says nothing of the file', async () => {
  const full = () =>
    Readable.from(
      (function* () {
        yield 'x'
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
      })(),
    )
  assert.equal(codeOf(await inspectBy('exit 0', { open: async () => full() })), 'unavailable')
})

test('no folder can be made: that says nothing of the file', async t => {
  const { TMPDIR } = process.env
  process.env.TMPDIR = join(folder, 'nowhere')
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  assert.equal(codeOf(await inspectBy('exit 0')), 'unavailable')
})

test('what fails beside the machine stays what it is', async () => {
  const broken = () =>
    Readable.from(
      (function* () {
        yield 'x'
        throw new TypeError('a mistake')
      })(),
    )
  assert.ok((await inspectBy('exit 0', { open: async () => broken() })) instanceof TypeError)
})
