import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { chooseSandbox, makeTempFolder, removeTempFolder } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { load, shippedModel, testRunner } from './onnx/models.fixture.ts'

const { TMPDIR } = process.env
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-tmp-'))
  process.env.TMPDIR = folder
})
afterEach(async () => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  await rm(folder, { recursive: true })
})

/** The number of a process that has been. */
const gone = spawnSync('true').pid

test('a runner removes the folders of processes that have gone, and no other', async () => {
  const ours = basename(makeTempFolder('model'))
  const life = ours.split('-')[3] as string
  const kept = [ours, `millhand-model-${process.ppid}-${life}-aaaaaa`, `millhand-model-${gone}`, 'else']
  const left = [
    `millhand-model-${gone}-${life}-bbbbbb`,
    `millhand-inputs-${gone}-${life}-eeeeee`,
    `millhand-model-${process.pid}-0-cccccc`,
  ]
  for (const name of [...kept.slice(1), ...left]) await mkdir(join(folder, name))
  await writeFile(join(folder, left[0] as string, 'core'), '')
  const file = `millhand-model-${gone}-${life}-dddddd`
  await writeFile(join(folder, file), '')
  testRunner()
  assert.deepEqual((await readdir(folder)).sort(), [...kept, file].sort())
})

test('a folder of another user is left alone', {
  skip: process.getuid?.() !== 0 && 'needs root, which alone can give a folder to another user',
}, async () => {
  const name = `millhand-model-${gone}-0-aaaaaa`
  await mkdir(join(folder, name))
  await chown(join(folder, name), 65534, 65534)
  testRunner()
  assert.deepEqual(await readdir(folder), [name])
})

test('the folder of a child that is another user is removed as well', {
  skip: process.getuid?.() !== 0 && 'needs root, which alone starts children as other users',
}, async t => {
  const log = createLog({ level: 'error', write: () => {} })
  t.after(() => chooseSandbox('off', log))
  const { firstUid } = await chooseSandbox('auto', log)
  if (firstUid === undefined) return t.skip('needs setpriv (apt-get install util-linux)')
  const model = await load(t, shippedModel('digits'))
  const [name = ''] = await readdir(folder)
  const { uid, gid } = await stat(join(folder, name))
  assert.deepEqual([uid, gid !== 0], [0, true], 'the child has it by its group')
  const left = join(folder, name.replace(`-${process.pid}-`, `-${gone}-`))
  await mkdir(left)
  await chown(left, uid, gid)
  testRunner()
  assert.deepEqual(await readdir(folder), [name])
  await model.kill()
})

test('a folder that can’t be removed, or is gone already, ends nobody', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', write: line => lines.push(line), format: 'json' })
  const file = join(folder, 'file')
  await writeFile(file, '')
  removeTempFolder(file, log)
  removeTempFolder(join(folder, 'gone'), log)
  assert.deepEqual(
    lines.map(line => [JSON.parse(line).event, JSON.parse(line).folder]),
    [['folder.left', file]],
  )
})

test('a runner starts also where there is no folder for temporary files, and says so', () => {
  const lines: string[] = []
  process.env.TMPDIR = join(folder, 'vanished')
  testRunner({ log: createLog({ level: 'warn', write: line => lines.push(line), format: 'json' }) })
  assert.match(lines[0] ?? '', /"folders\.not_swept".*ENOENT/)
})
