/** Pictures whose head asks for more work than their bytes are worth. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { InputInvalid } from '@millhand/model'
import sharp from 'sharp'
import { openPicture, toPixels } from './picture.ts'
import { tiffOf } from './tiff.fixture.ts'

/** Of each format a small picture, and where its head has the sides. */
const formats = {
  png: (head: Buffer, width: number, height: number) => {
    head.writeUInt32BE(width, 16)
    head.writeUInt32BE(height, 20)
    // The checksum of the head, as the format has it.
    head.writeUInt32BE(crc32(head.subarray(12, 29)), 29)
  },
  jpeg: (head: Buffer, width: number, height: number) => {
    const at = head.indexOf(Buffer.of(0xff, 0xc0))
    head.writeUInt16BE(height, at + 5)
    head.writeUInt16BE(width, at + 7)
  },
} as const

async function pictureOf(format: keyof typeof formats, width: number, height: number): Promise<Buffer> {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
    .toFormat(format)
    .toBuffer()
  formats[format](bytes, width, height)
  return bytes
}

const refused = (says: RegExp) => (error: unknown) => error instanceof InputInvalid && says.test(error.message)

for (const [format, width, height, says] of [
  ['png', 1, 40_000_000, /1 by 40000000 pixels; a side may have at most 32768/],
  ['png', 40_000_000, 1, /a side may have at most 32768/],
  ['png', 32_768, 1, /32768 by 1 pixels; of more than 4096, a side may be at most 200 times the other/],
  ['jpeg', 2, 65_000, /a side may have at most 32768/],
  ['jpeg', 4_097, 20, /200 times/],
] as const)
  test(`a ${format} of ${width} by ${height} pixels is refused by its head, before its pixels are read`, async () => {
    await assert.rejects(openPicture(await pictureOf(format, width, height)), refused(says))
  })

test('a picture in a file is held to the same', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-picture-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'strip.png')
  await writeFile(file, await pictureOf('png', 1, 40_000_000))
  await assert.rejects(openPicture(file), refused(/a side may have at most/))
  await writeFile(file, 'no picture')
  await assert.rejects(openPicture(file), refused(/cannot be read/))
})

test('long pictures, and small ones of any form, are opened', async () => {
  for (const [width, height] of [
    [3, 900],
    [4_096, 1],
    [4_077, 86],
    [20_000, 100],
    [1_000, 32_768],
  ] as const) {
    const { width: seen } = await (await openPicture(await pictureOf('png', width, height))).metadata()
    assert.equal(seen, width)
  }
})

/** From black to white. */
const ramp = Array.from({ length: 256 }, (_, value) => value)
const size = { width: 16, height: 16 }

for (const [what, pixels] of [
  ['8 bits', Uint8Array.from(ramp)],
  ['16 bits', Uint16Array.from(ramp, value => value * 257)],
  ['12 bits in 16', Uint16Array.from(ramp, value => value * 16)],
  ['10 bits in 16', Uint16Array.from(ramp, value => value * 4)],
  ['numbers from 0 to 1', Float32Array.from(ramp, value => value / 255)],
  ['numbers from 0 to 255', Float32Array.from(ramp)],
  ['numbers of any size', Float32Array.from(ramp, value => value * 37 - 4_000)],
  ['integers of any size', Int32Array.from(ramp, value => value * 9_000)],
] as const)
  test(`a picture of ${what} is as light as it is meant to be`, async () => {
    const { data } = await toPixels(await openPicture(tiffOf({ ...size, pixels })), 1)
    for (const [at, value] of ramp.entries())
      assert.ok(Math.abs((data[at] as number) - value) <= 1, `${value} is ${data[at]}`)
  })

test('a picture of one value is read whatever that is', async () => {
  for (const pixels of [new Uint16Array(256), new Float32Array(256).fill(-3), new Float32Array(256).fill(Number.NaN)])
    assert.equal((await toPixels(await openPicture(tiffOf({ ...size, pixels })), 3)).data.length, 768)
})
