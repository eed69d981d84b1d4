import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { InputInvalid } from '@millhand/model'
import sharp from 'sharp'
import { fixture } from '../models.fixture.ts'
import { openPicture } from './picture.ts'
import { type Page, tiffOf } from './tiff.fixture.ts'
import { pagesOf } from './tiff-pages.ts'

const page = (subfileType = 0): Page => ({ width: 2, height: 2, pixels: new Uint8Array(4), subfileType })

test('pages are counted in bytes and in files, without smaller copies and masks', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-tiff-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'a.tiff')
  for (const [tiff, pages] of [
    [tiffOf(page()), [0]],
    [tiffOf(page(), page(2), page()), [0, 1, 2]],
    [tiffOf(page(), page(1), page(4), page(5), page(2)), [0, 4]],
    [tiffOf(page(1), page(1)), [0]],
    [fixture('sentence.png'), [0]],
    [Buffer.from('II*'), [0]],
    [await sharp(fixture('sentence.png')).tiff({ bigtiff: true }).toBuffer(), [0]],
    [await sharp(fixture('sentence.png')).tiff({ bigtiff: true, pyramid: true, tile: true }).toBuffer(), [0]],
  ] as const) {
    assert.deepEqual(await pagesOf(tiff), pages)
    await writeFile(file, tiff)
    assert.deepEqual(await pagesOf(file), pages)
  }
})

test('the order of bytes is that of the file', async () => {
  const directory = (type: number, next: number) => {
    const bytes = Buffer.alloc(18)
    bytes.writeUInt16BE(1, 0)
    bytes.writeUInt16BE(254, 2)
    // As a number of 16 bits, which stands in the first two of the four bytes.
    bytes.writeUInt16BE(3, 4)
    bytes.writeUInt32BE(1, 6)
    bytes.writeUInt16BE(type, 10)
    bytes.writeUInt32BE(next, 14)
    return bytes
  }
  const head = Buffer.from('MM\0*\0\0\0\x08', 'latin1')
  assert.deepEqual(await pagesOf(Buffer.concat([head, directory(0, 26), directory(1, 44), directory(0, 0)])), [0, 2])
})

test('directories that go in a circle, point past the end or are very many are no endless work', async () => {
  const last = tiffOf(page(), page())
  const circle = Buffer.from(last)
  const second = circle.readUInt32LE(8 + 2 + 11 * 12)
  circle.writeUInt32LE(8, second + 2 + 11 * 12)
  assert.deepEqual(await pagesOf(circle), [0, 1])
  const outside = Buffer.from(last)
  outside.writeUInt32LE(0xffff_fff0, second + 2 + 11 * 12)
  await assert.rejects(pagesOf(outside), /the TIFF ends before its page 3/)
  const many = tiffOf(...Array.from({ length: 1001 }, () => page()))
  const isRefused = (error: unknown) => error instanceof InputInvalid && /more than 1000 pages/.test(error.message)
  await assert.rejects(pagesOf(many), isRefused)
  await assert.rejects(openPicture(many), isRefused)
})
