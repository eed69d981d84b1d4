import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type Line, LineReader, MOST_CHARACTERS } from './line-reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'millhand-lines-'))
after(() => rmSync(folder, { recursive: true }))

function fileOf(content: string | Uint8Array) {
  const path = join(folder, crypto.randomUUID())
  writeFileSync(path, content)
  return { path, bytes: statSync(path).size }
}

async function all(input: ConstructorParameters<typeof LineReader>[0], most = 1_000_000, characters = 1e9) {
  await using reader = new LineReader(input)
  const portions: Line[][] = []
  for (let lines = await reader.take(most, characters); lines.length > 0; lines = await reader.take(most, characters))
    portions.push(lines)
  assert.equal(reader.fraction, 1)
  return portions
}

const LONG = 'x'.repeat(MOST_CHARACTERS + 1)
const texts: Readonly<Record<string, readonly [text: string, lines: readonly Line[]]>> = {
  'with an end of line at its end': ['a\nb\n', ['a', 'b']],
  'without one': ['a\nb', ['a', 'b']],
  'with ends of line of Windows': ['a\r\nb\r\n', ['a', 'b']],
  'with blank lines': ['\n\na\n  \n\t\nb\n\n', ['a', 'b']],
  'with a byte order mark': ['\uFEFFa\nb', ['a', 'b']],
  'with letters of several bytes': ['é漢𝒳\n"ß"', ['é漢𝒳', '"ß"']],
  'with a line that is too long': [`a\n${LONG}\nb`, ['a', undefined, 'b']],
  'that ends in a line that is too long': [`a\n${LONG}${LONG}`, ['a', undefined]],
  'with a line that is as long as it may be': [`${LONG.slice(1)}\nb`, [LONG.slice(1), 'b']],
  'that is nothing': ['', []],
  'that is blank': [' \n \n', []],
}

describe('the lines of a text', () => {
  for (const [name, [text, lines]] of Object.entries(texts)) {
    it(name, async () => {
      assert.deepEqual((await all(text)).flat(), lines)
      assert.deepEqual((await all(fileOf(text))).flat(), lines)
    })
  }

  it('come as many at once as are asked for', async () => {
    assert.deepEqual(await all('a\nb\nc', 2), [['a', 'b'], ['c']])
    assert.deepEqual(await all('aaaa\nb\nc\ndddd', 9, 4), [['aaaa'], ['b', 'c'], ['dddd']])
  })

  it('come whole where a file is read in pieces, whatever the pieces cut', async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `{"n":${at},"text":"漢字"}`)
    assert.deepEqual((await all(fileOf(lines.join('\n')), 1_000)).flat(), lines)
  })

  it('are read no further than they are taken', async () => {
    const file = fileOf('0123456789\n'.repeat(500_000))
    await using reader = new LineReader(file)
    await reader.take(10, 1e9)
    assert.ok(reader.fraction < 0.1)
  })

  it('count as done once they are taken, not once they are read', async () => {
    for (const input of ['1\n2\n3\n4\n', fileOf('1\n2\n3\n4\n')]) {
      await using reader = new LineReader(input)
      assert.equal(reader.fraction, 0)
      const fractions: number[] = []
      for (let at = 0; at < 4; at++) {
        await reader.take(1, 1e9)
        fractions.push(reader.fraction)
      }
      assert.deepEqual(fractions.slice(0, 3), [0.25, 0.5, 0.75])
      await reader.take(1, 1e9)
      assert.equal(reader.fraction, 1)
    }
  })

  it('that are no UTF-8 have a replacement character', async () => {
    const file = fileOf(Buffer.concat([Buffer.from('a\n'), Buffer.from([0x22, 0xff, 0x22]), Buffer.from('\nb')]))
    assert.deepEqual((await all(file)).flat(), ['a', '"\uFFFD"', 'b'])
  })
})
