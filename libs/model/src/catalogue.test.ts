import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CatalogueEntry, loadCatalogue, type ModelPackage } from './catalogue.ts'
import { outputSchema } from './output-schema.ts'

const DIGITS = fileURLToPath(new URL('../../../deploy/models/digits/model.onnx', import.meta.url))

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'millhand-catalogue-'))
})
after(() => rm(root, { recursive: true }))

async function model(folder: string, id: string, manifest: object | string, onnx: string | Uint8Array | null = DIGITS) {
  const path = join(root, folder, id)
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'model.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest))
  if (typeof onnx === 'string') await cp(onnx, join(path, 'model.onnx'))
  else if (onnx) await writeFile(join(path, 'model.onnx'), onnx)
  return path
}

const load = (...names: string[]) => loadCatalogue(names.map(name => ({ path: join(root, name), ownedBy: name })))
const problem = (entry: CatalogueEntry | undefined) => (entry?.status === 'broken' ? entry.problem : entry?.status)

test('lists models by id, with what the ONNX file says of its inputs and outputs', async () => {
  await model('good', 'two', { name: 'Two' })
  await model('good', 'one', { name: 'One' })
  const catalogue = await load('good')
  assert.deepEqual(
    catalogue.list().map(({ id, ownedBy, status }) => [id, ownedBy, status]),
    [
      ['one', 'good', 'ready'],
      ['two', 'good', 'ready'],
    ],
  )
  const one = catalogue.get('one') as ModelPackage
  assert.deepEqual(one.inputs, [{ name: 'pixels', dtype: 'float32', shape: [-1, 64] }])
  assert.deepEqual(one.outputs, [{ name: 'probabilities', dtype: 'float32', shape: [-1, 10] }])
  assert.deepEqual(JSON.parse(one.outputSchema), outputSchema(one))
  assert.match(one.version, /^sha256:[0-9a-f]{64}$/)
  assert.equal(catalogue.get('three'), undefined)
})

test('a language model is one by the beginning of its file', async () => {
  for (const [id, content] of [
    ['writer', 'GGUF and more'],
    ['other', 'GGU'],
  ] as const) {
    const path = await model('language', id, { name: id, format: 'gguf' }, null)
    await writeFile(join(path, 'model.gguf'), content)
  }
  const catalogue = await load('language')
  assert.deepEqual(
    catalogue.list().map(entry => [entry.id, problem(entry)]),
    [
      ['other', 'the file `model` is not of the form GGUF'],
      ['writer', 'ready'],
    ],
  )
})

test('a broken model is told by name and the others load', async () => {
  const broken: [id: string, manifest: object | string, onnx: string | Uint8Array | null, says: RegExp][] = [
    ['no-json', '{', DIGITS, /not JSON/],
    ['no-name', {}, DIGITS, /`name`/],
    ['no-file', { name: 'A' }, null, /model\.onnx is not there/],
    ['empty-file', { name: 'A' }, new Uint8Array(0), /`model` is no ONNX model.*no graph/],
    ['text-file', { name: 'A' }, new TextEncoder().encode('Not a model at all'), /`model` is no ONNX model/],
    ['outside', { name: 'A', files: { model: '../../../etc/passwd' } }, DIGITS, /not there|leads outside/],
    [
      'no-package',
      { name: 'A', files: { model: 'package:not-installed/x.onnx' } },
      DIGITS,
      /not-installed is not installed/,
    ],
    ['Upper', { name: 'A' }, DIGITS, /lower-case/],
  ]
  for (const [id, manifest, onnx] of broken) await model('mixed', id, manifest, onnx)
  await model('mixed', 'whole', { name: 'Whole' })
  const catalogue = await load('mixed')
  for (const [id, , , says] of broken) {
    assert.match(problem(catalogue.get(id)) ?? '', says, id)
    assert.ok(!problem(catalogue.get(id))?.includes(root), `${id} shows a path of this machine`)
  }
  assert.equal(catalogue.get('whole')?.status, 'ready')
})

test('a link that leads out of the folder is refused', async () => {
  const path = await model('linked', 'sly', { name: 'A' }, null)
  await symlink(DIGITS, join(path, 'model.onnx'))
  assert.match(problem((await load('linked')).get('sly')) ?? '', /leads outside/)
})

test('a manifest that is a link out of the folder is not read', async () => {
  const path = await model('linked-manifest', 'sly', { name: 'A' })
  const outside = join(root, 'outside.txt')
  await writeFile(outside, 'swordfish')
  await rm(join(path, 'model.json'))
  await symlink(outside, join(path, 'model.json'))
  const said = problem((await load('linked-manifest')).get('sly')) ?? ''
  assert.match(said, /model\.json leads outside/)
  assert.doesNotMatch(said, /swordfish/)
})

test('links inside the folder are followed, as Kubernetes mounts a ConfigMap', async () => {
  const path = await model('mounted', 'config', { name: 'A' })
  await mkdir(join(path, '..2026'))
  for (const file of ['model.json', 'model.onnx']) {
    await rename(join(path, file), join(path, '..2026', file))
    await symlink(join('..data', file), join(path, file))
  }
  await symlink('..2026', join(path, '..data'))
  assert.equal(problem((await load('mounted')).get('config')), 'ready')
})

test('files come from installed packages', async () => {
  await mkdir(join(root, 'node_modules/@scope/weights/files'), { recursive: true })
  await cp(DIGITS, join(root, 'node_modules/@scope/weights/files/m.onnx'))
  await model('packaged', 'a', { name: 'A', files: { model: 'package:@scope/weights/files/m.onnx' } }, null)
  const entry = (await load('packaged')).get('a') as ModelPackage
  assert.match(entry.files.model ?? '', /node_modules\/@scope\/weights\/files\/m\.onnx$/)
})

test('the version changes with the manifest and with the file, and with nothing else', async () => {
  await model('version', 'a', { name: 'A' })
  const version = async () => ((await load('version')).get('a') as ModelPackage).version
  const first = await version()
  await model('version', 'a', { name: 'A' })
  assert.equal(await version(), first)
  const path = await model('version', 'a', { name: 'B' })
  const second = await version()
  assert.notEqual(second, first)
  await cp(join(path, '../../good/one/model.onnx'), join(path, 'model.onnx'))
  assert.equal(await version(), second)
  await writeFile(join(path, 'model.onnx'), '\x01', { flag: 'a' })
  assert.notEqual(await version(), second)
})

test('of two models with one id the later folder’s is taken', async () => {
  await model('first', 'same', { name: 'First' })
  await model('second', 'same', { name: 'Second' })
  const entry = (await load('first', 'second')).get('same') as ModelPackage
  assert.deepEqual([entry.manifest.name, entry.ownedBy], ['Second', 'second'])
})

test('a folder that is not there is an error', async () => {
  await assert.rejects(load('nowhere'), { code: 'ENOENT' })
})

test('the models that come with Millhand are ready and have an example', async () => {
  const path = fileURLToPath(new URL('../../../deploy/models', import.meta.url))
  const models = (await loadCatalogue([{ path, ownedBy: 'millhand' }])).list()
  assert.deepEqual(
    models.map(model => [model.id, problem(model)]),
    [
      ['digits', 'ready'],
      ['magika', 'ready'],
      ['pp-ocr-v4', 'ready'],
      ['silero-vad', 'ready'],
    ],
  )
  for (const model of models) assert.ok((model as ModelPackage).exampleInput, `${model.id} has an example`)
})
