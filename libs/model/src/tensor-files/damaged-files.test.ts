/** Whatever bytes a file has, it is read or refused with a reason: nothing else is thrown, and nothing is made of its lies. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { InputInvalid, type Tensor } from '../tensors.ts'
import { readTensorFile, tensorFileParts } from './tensor-file.ts'

const SEED = Number(process.env.MILLHAND_SEED ?? process.env.TEST_PART ?? Math.floor(Math.random() * 2 ** 31))
const ROUNDS = 500

/** Mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) % below
  }
}

const tensors: readonly (readonly [string, Tensor])[] = [
  ['x', { dtype: 'float32', shape: [2, 3], data: new Float32Array([1, 2, 3, 4, 5, 6]) }],
  ['bools', { dtype: 'bool', shape: [3], data: new Uint8Array([1, 0, 1]) }],
  ['wide', { dtype: 'int64', shape: [], data: new BigInt64Array([7n]) }],
]
const texts: readonly [string, Tensor] = ['texts', { dtype: 'string', shape: [2], data: ['a', 'zwölf'] }]

const npz = Buffer.concat([...tensorFileParts([...tensors, texts], 'npz')])
const safetensors = Buffer.concat([...tensorFileParts(tensors, 'safetensors')])

/** The first entry of a file of stored entries, deflated; the rest stays. */
function deflated(): Buffer {
  const nameLength = npz.readUInt16LE(26)
  const [start, size] = [30 + nameLength, npz.readUInt32LE(18)]
  const packed = deflateRawSync(npz.subarray(start, start + size))
  const file = Buffer.concat([npz.subarray(0, start), packed, npz.subarray(start + size)])
  const shift = size - packed.length
  const end = file.length - 22
  const directory = file.readUInt32LE(end + 16) - shift
  file.writeUInt32LE(directory, end + 16)
  for (const at of [0, directory + 2]) file.writeUInt16LE(8, at + 8)
  for (const at of [0, directory + 2]) file.writeUInt32LE(packed.length, at + 18)
  for (let at = directory, entry = 0; at < end; entry++) {
    if (entry > 0) file.writeUInt32LE(file.readUInt32LE(at + 42) - shift, at + 42)
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30)
  }
  return file
}

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-damaged-'))
})
after(() => rm(folder, { recursive: true }))

async function read(bytes: Uint8Array) {
  const path = join(folder, 'file')
  await writeFile(path, bytes)
  return await readTensorFile(path)
}

const NUMBERS = [0, 1, 0x7f, 0x80, 0xff]

/** One to three changes: bytes, stretches that are copied, removed or repeated, an end that is missing. */
function damaged(bytes: Buffer, random: (below: number) => number): Buffer {
  let file = Buffer.from(bytes)
  for (let changes = 1 + random(3); changes > 0; changes--) {
    const at = random(file.length)
    const length = 1 + random(8)
    const kind = random(6)
    if (kind < 2) file[at] = random(256)
    else if (kind === 2) file.fill(NUMBERS[random(NUMBERS.length)] as number, at, Math.min(at + length, file.length))
    else if (kind === 3) file.copyWithin(at, random(file.length), file.length)
    else if (kind === 4) file = Buffer.concat([file.subarray(0, at), file.subarray(at + length)])
    else file = file.subarray(0, Math.max(1, at))
    if (file.length === 0) return Buffer.of(0)
  }
  return file
}

for (const [name, bytes, count] of [
  ['a zip file', npz, 4],
  ['a zip file with a deflated entry', deflated(), 4],
  ['a safetensors file', safetensors, 3],
] as const) {
  test(`${name} is read, and damaged in any way it is read or refused (seed ${SEED})`, async () => {
    assert.equal((await read(bytes)).tensors.size, count)
    const random = randomOf(SEED)
    let refused = 0
    for (let round = 0; round < ROUNDS; round++) {
      const file = damaged(bytes, random)
      try {
        const { tensors: found } = await read(file)
        for (const { data } of found.values()) assert.ok(data.length <= file.length)
      } catch (error) {
        assert.ok(error instanceof InputInvalid, `round ${round}: ${(error as Error).stack}`)
        refused++
      }
    }
    assert.ok(refused > ROUNDS / 4, `${refused} of ${ROUNDS} were refused`)
  })
}

test('a text that is very long is refused before there is room for it', async () => {
  const ofLength = (length: number) =>
    Buffer.concat([...tensorFileParts([['x', { dtype: 'string', shape: [1], data: ['n'.repeat(length)] }]], 'npz')])
  assert.equal((await read(ofLength(262_144))).tensors.size, 1)
  await assert.rejects(
    read(ofLength(262_145)),
    error => error instanceof InputInvalid && /texts of 1048580 bytes each/.test(error.message),
  )
})
