/** The recognition model that has letters with accents, as `deploy/optional-models/pp-ocr-v6/install.sh` makes it. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { loadCatalogue } from '@millhand/model'
import { ask, dataUri, fixture, shippedModel, start } from '../../models.fixture.ts'

const folder = resolve(import.meta.dirname, '../../../../../../.venv/ocr-models')
// In CI none may be skipped.
const skip =
  !existsSync(join(folder, 'pp-ocr-v6')) &&
  process.env.CI !== 'true' &&
  'needs .venv/ocr-models/pp-ocr-v6: bash deploy/optional-models/pp-ocr-v6/install.sh .venv/ocr-models'

const ACCENTS = [
  'Zwölf große Bären äßen süße Öle',
  'Ça va à Noël, où êtes-vous ? œuf',
  'El pingüino añoraba su niñez',
  '€ 12,50 £9.99 § 3 21 °C',
]
const bounds = { memoryLimitBytes: 1024 * 2 ** 20, threads: 2 }

test('letters with accents, ß, €, £ and § are read by pp-ocr-v6', { skip }, async t => {
  const model = (await loadCatalogue([{ path: folder, ownedBy: 'you' }])).get('pp-ocr-v6')
  assert.ok(model?.status === 'ready')
  const loaded = await start(model, bounds)
  t.after(() => loaded.kill())
  const { text, lines } = await ask(loaded, dataUri('image/png', fixture('accents.png')))
  // What stands far apart may come with or without a blank between.
  assert.equal(text.replaceAll(/[^\S\n]/g, ''), ACCENTS.join('\n').replaceAll(/[^\S\n]/g, ''))
  for (const line of lines) assert.ok(line.confidence > 0.9, `${line.text}: ${line.confidence}`)
  const upsideDown = await ask(loaded, dataUri('image/png', fixture('sentence-upside-down.png')))
  assert.match(upsideDown.text, /^The analytical engine weaves\n/)
})

test('pp-ocr-v4 reads others for them, as its description says', async t => {
  const { manifest } = shippedModel('pp-ocr-v4')
  assert.match(manifest.description ?? '', /accents, ß, € and £ are not in its alphabet.*its confidence does not tell/)
  const loaded = await start(shippedModel('pp-ocr-v4'), bounds)
  t.after(() => loaded.kill())
  const { text, lines } = await ask(loaded, dataUri('image/png', fixture('accents.png')))
  assert.doesNotMatch(text, /[öåßÇàëùœñ€£]/)
  // What the description says of the confidence.
  assert.ok(lines.some(({ confidence }: { confidence: number }) => confidence > 0.9))
})
