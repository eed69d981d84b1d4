/** A machine that has no room for one more process: the load fails, the service lives, the next load may succeed. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { RunnerGone } from '@millhand/child-process'
import { load, shippedModel, start } from './models.fixture.ts'

const digits = shippedModel('digits')

const notStarted = (code: string) => (error: unknown) =>
  error instanceof RunnerGone &&
  error.reason === 'not_started' &&
  (error.cause as NodeJS.ErrnoException | undefined)?.code === code

test('without a folder for temporary files no model is started, and with one again it is', async t => {
  const { TMPDIR } = process.env
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  const folder = await mkdtemp(join(tmpdir(), 'millhand-tmp-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  process.env.TMPDIR = join(folder, 'vanished')
  await assert.rejects(start(digits), notStarted('ENOENT'))
  process.env.TMPDIR = folder
  await load(t, digits)
  assert.equal((await readdir(folder)).length, 1)
})

/** Takes every file descriptor, tries to load a model, lets them go and tries again. */
const WITHOUT_DESCRIPTORS = `
  const { openSync, closeSync, readdirSync } = await import('node:fs')
  const { shippedModel, start } = await import(${JSON.stringify(fileURLToPath(new URL('./models.fixture.ts', import.meta.url)))})
  const taken = []
  try { for (;;) taken.push(openSync('/dev/null')) } catch {}
  const failure = await start(shippedModel('digits')).then(() => 'none', error => error)
  for (const descriptor of taken) closeSync(descriptor)
  const left = readdirSync(process.env.TMPDIR).length
  await (await start(shippedModel('digits'))).kill()
  console.log(JSON.stringify({ taken: taken.length, reason: failure.reason, code: failure.cause?.code, left }))`

test('without file descriptors a load fails, nothing is left of it, and the next one has what it needs', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-tmp-'))
  t.after(() => rm(folder, { recursive: true }))
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e']
  const script = ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...node, WITHOUT_DESCRIPTORS]
  const { stdout } = await promisify(execFile)('sh', script, { env: { ...process.env, TMPDIR: folder } })
  const { taken, ...rest } = JSON.parse(stdout)
  assert.ok(taken > 10)
  assert.deepEqual(rest, { reason: 'not_started', code: 'EMFILE', left: 0 })
})
