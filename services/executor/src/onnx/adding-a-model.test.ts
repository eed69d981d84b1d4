import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkInput, loadCatalogue, parseManifest } from '@millhand/model'
import { ask, load } from './models.fixture.ts'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const page = readFileSync(join(repository, 'docs/adding-a-model.md'), 'utf8')
const block = (kind: string) => page.split(`\`\`\`${kind}\n`)[1]?.split('```')[0] as string

test('the model that docs/adding-a-model.md makes is listed, takes its example and answers', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-docs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(repository, 'deploy'), join(folder, 'deploy'))
  execFileSync('sh', ['-ec', block('sh')], { cwd: folder })
  const catalogue = await loadCatalogue([{ path: join(folder, 'my-models'), ownedBy: 'operator' }])
  const [entry] = catalogue.list()
  assert.ok(entry?.status === 'ready', JSON.stringify(entry))
  assert.equal(entry.id, 'plain-digits')
  const example = entry.exampleInput as string
  assert.equal(checkInput(entry, example), undefined)
  const { probabilities } = await ask(await load(t, entry), example)
  assert.deepEqual(probabilities.shape, [1, 10])
  // The example is drawn as a one.
  assert.equal(probabilities.data.indexOf(Math.max(...probabilities.data)), 1)
})

test('the manifest that docs/adding-a-model.md shows is taken', () => {
  assert.equal(parseManifest(block('json')).inputFormat, 'json')
})

test('docs/adding-a-model.md names every field of a manifest', () => {
  const source = readFileSync(join(repository, 'libs/model/src/manifest.ts'), 'utf8')
  const fields = [
    ...source.matchAll(/read\.(?:string|number|integer|boolean|oneOf|strings|numbers|map|objects?|has)\('(\w+)'/g),
  ]
  assert.ok(fields.length > 25)
  for (const [, field] of fields)
    assert.ok(page.includes(`\`${field}\``) || page.includes(`"${field}"`), `\`${field}\` is not there`)
})
