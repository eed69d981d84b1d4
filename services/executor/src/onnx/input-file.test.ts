/** Inputs in files are read as those in text are. */

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { InputFile } from '@millhand/child-process'
import { PORTION_CHARACTERS } from './input-portions.ts'
import { ask, dataUri, fixture, item, load, plainModel, said, shippedModel } from './models.fixture.ts'
import { writeWav } from './processing/speech/wav.fixture.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-inputs-test-'))
})
after(() => rm(folder, { recursive: true }))

let files = 0
async function inFile(content: string | Uint8Array): Promise<InputFile> {
  const path = join(folder, String(files++))
  await writeFile(path, content)
  return { path, bytes: Buffer.byteLength(content) }
}

test('a picture', async t => {
  const ocr = await load(t, shippedModel('pp-ocr-v4'), { memoryLimitBytes: 2 ** 30 })
  const picture = fixture('receipt.png')
  assert.deepEqual(await ask(ocr, await inFile(picture)), await ask(ocr, dataUri('image/png', picture)))
  const refused: [what: string, content: string | Uint8Array, says: RegExp][] = [
    ['text', 'no picture', /no picture that is read here/],
    ['a picture that is cut off', picture.subarray(0, 2_000), /cannot be read/],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"/>', /no picture that is read here/],
    ['a recording', fixture('speech.wav'), /no picture that is read here/],
    ['nothing', '', /no picture that is read here/],
  ]
  for (const [what, content, message] of refused) {
    await assert.rejects(ask(ocr, await inFile(content)), { code: 'model_input_invalid', message }, what)
  }
})

test('a picture for a model that sees, beside others in text', async t => {
  const preprocess = { name: 'image', width: 4, height: 4, channels: 'rgb', layout: 'nchw' }
  const model = await load(t, plainModel('picture', { preprocess }))
  const picture = fixture('sign-noisy.jpg')
  const items = [item(await inFile(picture)), item(await inFile('none')), item(dataUri('image/jpeg', picture))]
  const [first, second, third] = (await model.run(items)).items.map(said)
  assert.deepEqual([first, second], [third, 'model_input_invalid'])
})

test('a recording', async t => {
  const speech = await load(t, shippedModel('silero-vad'))
  const recording = fixture('speech.wav')
  assert.deepEqual(await ask(speech, await inFile(recording)), await ask(speech, dataUri('audio/wav', recording)))
  const long = writeWav(new Float32Array(3601 * 1000), { rate: 1000, channels: 1, bits: 8 })
  await assert.rejects(ask(speech, await inFile(long)), { message: /longer than 60 minutes/ })
  await assert.rejects(ask(speech, await inFile('RIFF')), { message: /no recording that is read here/ })
})

test('text, whatever reads it', async t => {
  const digits = await load(t, shippedModel('digits'))
  const pixels = shippedModel('digits').exampleInput as string
  assert.deepEqual(await ask(digits, await inFile(pixels)), await ask(digits, pixels))
  assert.deepEqual(await ask(digits, await inFile(`\ufeff${pixels}`)), await ask(digits, pixels))
  assert.deepEqual(
    await ask(digits, await inFile(Buffer.from(`\ufeff${pixels}`, 'utf16le'))),
    await ask(digits, pixels),
  )
  await assert.rejects(ask(digits, await inFile(Buffer.from([0x80]))), { message: /not UTF-8/ })

  const text = await load(t, plainModel('text', { preprocess: { name: 'text' }, batchable: true }))
  const [first, second, third] = (
    await text.run([item(await inFile('üé')), item(await inFile(Buffer.from([0x80]))), item('plain')])
  ).items.map(said)
  assert.deepEqual([first.y.data, second, third.y.data], [['üé'], 'model_input_invalid', ['plain']])

  const tensors = await load(t, plainModel('wide'))
  const x = JSON.stringify({ x: { dtype: 'float32', shape: [1], data: [5] } })
  assert.equal((await ask(tensors, await inFile(x))).y.data.length, 5)
})

test('a run whose later portion has no file ends its process, so that no other run takes its answer', async t => {
  const digits = await load(t, shippedModel('digits'))
  const { manifest } = shippedModel('digits')
  const missing = { path: join(folder, 'missing'), bytes: PORTION_CHARACTERS }
  await assert.rejects(digits.run([item(manifest.exampleInput as string), item(missing)]), { code: 'ENOENT' })
  assert.equal((await digits.gone).reason, 'killed')
})
