import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rules } from '../engine.ts'
import type { Entry } from '../reference.ts'
import { measure, shapes } from './bar.ts'

for (const { language, files, names, missed, other, unwritten, notRead } of await measure())
  it(`${language}: every name that the parser lists is in the reference with its parameters, and every signature in its text`, () => {
    assert.ok(files > 0 && names > files / 2, `${files} files, ${names} names`)
    assert.deepEqual({ missed, other, unwritten, notRead }, { missed: 0, other: 0, unwritten: 0, notRead: [] })
  })

it('python: names, parameters and results are those that the ast of Python itself has', async () => {
  const input = { code: shapes.text, path: 'shapes.py' }
  const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
  const told = new Map<string, string>()
  const gather = (entries: readonly Entry[], prefix: string): void => {
    for (const { name, signature, members } of entries) {
      told.set(prefix + name, signature)
      gather(members, `${prefix}${name}.`)
    }
  }
  gather(result.modules[0]?.entries ?? [], '')
  // How the two write the same differs in blanks, quotes and the comma at the end.
  const bare = (text: string) => text.replaceAll(/\s|,(?=\s*\))/g, '').replaceAll("'", '"')
  assert.ok(shapes.listed.length >= 15)
  for (const [name, parameters] of shapes.listed)
    assert.ok(
      bare(told.get(name) ?? '').includes(bare(parameters.replace(' -> ', ') -> '))),
      `${name}: ${parameters}\n${told.get(name)}`,
    )
})
