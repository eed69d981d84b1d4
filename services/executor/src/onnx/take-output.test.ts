import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { MAX_OUTPUT_BYTES } from './output-limit.ts'
import { takeOutput } from './take-output.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-take-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('an output is taken out of the folder, and can be read until it is closed', async () => {
  await writeFile(join(folder, 'output-3'), '"done"')
  const { bytes, handle } = await takeOutput(folder, 3)
  assert.deepEqual([bytes, await readdir(folder)], [6, []])
  assert.equal(await handle.readFile('utf8'), '"done"')
  await handle.close()
})

for (const [what, make] of [
  ['nothing', async () => {}],
  ['a link to another file', (path: string) => symlink('/etc/passwd', path)],
  ['a folder', (path: string) => mkdir(path)],
  ['a pipe', async (path: string) => void execFileSync('mkfifo', [path])],
  [
    'more than an output may have',
    async (path: string) => {
      await writeFile(path, '')
      await truncate(path, MAX_OUTPUT_BYTES + 1)
    },
  ],
] as const) {
  test(`${what} is no output`, async () => {
    await make(join(folder, 'output-0'))
    await assert.rejects(takeOutput(folder, 0))
  })
}
