import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InputInvalid } from '@millhand/model'
import { resample } from './resample.ts'
import { writeWav } from './wav.fixture.ts'
import { readWav } from './wav.ts'

const tone = (hertz: number, rate: number, seconds: number) =>
  Float32Array.from({ length: rate * seconds }, (_, index) => 0.5 * Math.sin((2 * Math.PI * hertz * index) / rate))

const level = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)

test('every encoding gives the same sound', () => {
  const wanted = tone(200, 8000, 0.1)
  for (const bits of [8, 16, 24, 32, -32, -64] as const) {
    const { rate, samples } = readWav(writeWav(wanted, { rate: 8000, channels: 2, bits }))
    assert.equal(rate, 8000)
    assert.equal(samples.length, wanted.length)
    const worst = samples.reduce((most, value, index) => Math.max(most, Math.abs(value - (wanted[index] as number))), 0)
    assert.ok(worst < (bits === 8 ? 0.01 : 1e-4), `${bits} bits: off by ${worst}`)
  }
})

test('floats of any size are as loud as their loudest', () => {
  for (const size of [3, 20_000, 2 ** 23, 2 ** 31]) {
    const loud = tone(200, 8000, 0.1).map(value => value * size)
    const { samples } = readWav(writeWav(loud, { rate: 8000, channels: 1, bits: -32 }))
    const peak = loud.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    for (const [at, value] of samples.entries()) assert.ok(Math.abs(value - (loud[at] as number) / peak) < 1e-6)
  }
})

test('a program that streams does not know the length: the data goes on to the end', () => {
  for (const claimed of [0, 0x7ffff000, 0xffffffff]) {
    assert.equal(
      readWav(writeWav(tone(200, 8000, 0.1), { rate: 8000, channels: 1, bits: 16, claimed })).samples.length,
      800,
    )
  }
})

test('chunks that are not known are passed over', () => {
  const wav = writeWav(tone(200, 8000, 0.1), { rate: 8000, channels: 1, bits: 16 })
  const odd = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1')
  assert.equal(readWav(Buffer.concat([wav.subarray(0, 36), odd, wav.subarray(36)])).samples.length, 800)
})

test('a chunk of odd length is passed over also where nothing fills it up', () => {
  const wav = writeWav(tone(200, 8000, 0.1), { rate: 8000, channels: 1, bits: 16 })
  const odd = Buffer.from('LIST\x03\0\0\0abc', 'latin1')
  assert.equal(readWav(Buffer.concat([wav.subarray(0, 36), odd, wav.subarray(36)])).samples.length, 800)
})

test('an empty recording stays empty, whatever chunks come behind', () => {
  const wav = writeWav([], { rate: 8000, channels: 1, bits: 16 })
  const list = Buffer.from('LIST\x05\0\0\0abcde\0', 'latin1')
  for (const more of [Buffer.alloc(0), list, list.subarray(0, -1), Buffer.concat([list, list])])
    assert.equal(readWav(Buffer.concat([wav, more])).samples.length, 0)
})

test('headers that lie are refused', () => {
  const wav = writeWav(new Float32Array(10), { rate: 8000, channels: 1, bits: 16 })
  const changed = (at: number, value: number) => {
    const copy = Buffer.from(wav)
    copy.writeUInt16LE(value, at)
    return copy
  }
  const inLarger = changed(32, 4)
  inLarger.writeUInt32LE(8000 * 4, 28)
  // Android programs write a block align of 4 with the right byte rate.
  assert.equal(readWav(changed(32, 4)).samples.length, 10)
  const refused: [what: string, file: Buffer, says: RegExp][] = [
    [
      'more data than there is',
      writeWav([0], { rate: 8000, channels: 1, bits: 16, claimed: 2e9 }),
      /cut off: 2000000000/,
    ],
    ['no data', wav.subarray(0, 36), /has no data/],
    ['data before the format', Buffer.concat([wav.subarray(0, 12), wav.subarray(36)]), /no format/],
    ['no channels', changed(22, 0), /0 channels/],
    ['many channels', changed(22, 65535), /65535 channels/],
    ['no rate', changed(24, 0), /0 samples a second/],
    ['12 bits', changed(34, 12), /encoding 1 with 12 bits/],
    ['samples in larger containers', inLarger, /a block align of 4, and 1 channels of 16 bits are 2 bytes/],
    ['a compressed encoding', changed(20, 85), /encoding 85/],
    [
      'a short format',
      Buffer.concat([wav.subarray(0, 16), Buffer.from([2, 0, 0, 0, 1, 0]), wav.subarray(36)]),
      /format/,
    ],
  ]
  for (const [what, file, says] of refused) {
    assert.throws(
      () => readWav(file),
      error => error instanceof InputInvalid && says.test(error.message),
      what,
    )
  }
})

test('not-a-number and the infinities are silence or full', () => {
  const { samples } = readWav(writeWav([Number.NaN, Infinity, 5, -5], { rate: 8000, channels: 1, bits: -32 }))
  assert.deepEqual([...samples], [0, 0, 1, -1])
})

test('another rate keeps what both can hold and drops what the new one cannot', () => {
  for (const from of [8000, 11_025, 22_050, 44_100, 48_000, 96_000]) {
    const kept = resample(tone(440, from, 1), from, 16_000)
    assert.equal(kept.length, 16_000)
    const wanted = tone(440, 16_000, 1)
    const error = level(kept.subarray(400, -400).map((value, index) => value - (wanted[index + 400] as number)))
    assert.ok(error < 0.002, `from ${from}: off by ${error}`)
    if (from > 40_000) assert.ok(level(resample(tone(12_000, from, 0.5), from, 16_000).subarray(400, -400)) < 0.002)
  }
})
