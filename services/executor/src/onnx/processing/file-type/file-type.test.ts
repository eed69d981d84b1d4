/** The types of files, against what Magika's own Python package says of the same bytes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Loaded } from '@millhand/child-process'
import { checkInput, checkInputFile } from '@millhand/model'
import { ask, dataUri, item, load, said, shippedModel, start } from '../../models.fixture.ts'

const root = join(import.meta.dirname, '../../../../../..')
const magika = shippedModel('magika')

type Answer = Readonly<Record<string, string | number | boolean | null>>
interface Reference {
  readonly name: string
  /** Its bytes; a file of the tree has a digest. */
  readonly base64?: string
  readonly sha256?: string
  readonly answers: Readonly<Record<'medium_confidence' | 'best_guess', string>> & { readonly high_confidence: Answer }
}

/** Made with `make-reference.py`. */
const reference = (JSON.parse(readFileSync(join(import.meta.dirname, 'reference.json'), 'utf8')) as Reference[]).map(
  one => ({ ...one, bytes: bytesOf(one) }),
)

function bytesOf({ name, base64, sha256 }: Reference): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  const bytes = readFileSync(join(root, name))
  assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, `${name} has changed: make the reference anew`)
  return bytes
}

let model: Loaded
let folder: string
before(async () => {
  model = await start(magika)
  folder = mkdtempSync(join(tmpdir(), 'millhand-file-types-'))
})
after(async () => {
  await model.kill()
  rmSync(folder, { recursive: true })
})

/** Everything but the score to the letter. */
function assertSame({ confidence, extensions, ...said }: Record<string, unknown>, wanted: Answer, name: string) {
  assert.ok(Math.abs(Number(confidence) - Number(wanted.confidence)) < 1e-4, `${name}: ${confidence}`)
  assert.deepEqual(
    { ...said, extensions: (extensions as string[]).join(' '), confidence: wanted.confidence },
    wanted,
    name,
  )
}

const inText = (bytes: Buffer) => dataUri('application/octet-stream', bytes)

test('the reference has at least 60 files of 50 types', () => {
  assert.ok(reference.length >= 60)
  assert.ok(new Set(reference.map(({ answers }) => answers.high_confidence.label)).size >= 50)
})

test('the files of the model are those that fetch.py takes from the package', () => {
  const script = readFileSync(join(root, 'deploy/models/magika/fetch.py'), 'utf8')
  for (const path of Object.values(magika.files)) {
    assert.ok(script.includes(createHash('sha256').update(readFileSync(path)).digest('hex')), path)
  }
})

test('each file alone, as text and as a file', async () => {
  for (const { name, bytes, answers } of reference) {
    assertSame(await ask(model, inText(bytes)), answers.high_confidence, name)
    const path = join(folder, 'file')
    writeFileSync(path, bytes)
    assertSame(await ask(model, { path, bytes: bytes.length }), answers.high_confidence, name)
  }
})

test('all files in one run, beside what is no file', async () => {
  const inputs = ['no file', ...reference.map(({ bytes }) => inText(bytes)), 'data:;base64,&']
  const { items } = await model.run(inputs.map(input => item(input)))
  const answers = items.map(said)
  assert.deepEqual([answers[0], answers.at(-1)], ['model_input_invalid', 'model_input_invalid'])
  for (const [at, { name, answers: wanted }] of reference.entries()) {
    assertSame(answers[at + 1], wanted.high_confidence, name)
  }
})

test('a label is believed as the mode says', async () => {
  for (const mode of ['medium_confidence', 'best_guess'] as const) {
    const items = reference.map(({ bytes }) => item(inText(bytes), { prediction_mode: mode }))
    const answers = (await model.run(items)).items.map(said)
    for (const [at, { name, answers: wanted }] of reference.entries()) {
      assert.equal(answers[at].label, wanted[mode], `${mode}: ${name}`)
    }
  }
  const refused = { code: 'model_input_invalid', message: /`prediction_mode` must be one of high_confidence, medium/ }
  await assert.rejects(ask(model, inText(Buffer.from('text')), { prediction_mode: 'sure' }), refused)
})

test('the example of its manifest is Python', async () => {
  assert.equal((await ask(model, magika.exampleInput as string)).label, 'python')
})

test('a file of any size and any beginning is taken; text that is no data URI is not', () => {
  assert.equal(checkInputFile(magika, 512 * 2 ** 20, Buffer.from([0xff])), undefined)
  assert.equal(checkInputFile(magika, 0, Buffer.alloc(0)), undefined)
  for (const input of ['data:;base64,', 'data:text/plain;charset=utf-8;base64,YQ==', inText(Buffer.from([0]))]) {
    assert.equal(checkInput(magika, input), undefined, input)
  }
  for (const input of ['a', 'data:text/plain,a', 'https://example.com/a.pdf', 'data:base64,YQ==']) {
    assert.match(checkInput(magika, input) ?? '', /must be a data URI with base64/, input)
  }
})

test('a model whose files do not fit each other is broken', async t => {
  const types = join(folder, 'types.json')
  writeFileSync(types, '{}')
  const config = join(folder, 'config.json')
  writeFileSync(config, readFileSync(magika.files.config as string, 'utf8').replace('"3gp",', ''))
  for (const [files, says] of [
    [{ types }, /file of types does not have 3gp/],
    [{ config: types }, /configuration cannot be read/],
  ] as const) {
    await assert.rejects(load(t, { ...magika, files: { ...magika.files, ...files } }), {
      code: 'model_broken',
      message: says,
    })
  }
  const short = await load(t, { ...magika, files: { ...magika.files, config } })
  await assert.rejects(ask(short, inText(Buffer.from('print("a text")'))), { message: /not as many as its labels/ })
})
