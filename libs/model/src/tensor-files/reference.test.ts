/** Files of NumPy and safetensors are read as they read them, and they read what is written here. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { ElementArray } from '../dtype.ts'
import { elements } from '../dtype.ts'
import type { Tensor } from '../tensors.ts'
import { viewOf } from './tensor-bytes.ts'
import { readTensorFile, tensorFileParts } from './tensor-file.ts'

const python = resolve(import.meta.dirname, '../../../../.venv/bin/python')
const skip = existsSync(python)
  ? false
  : 'needs what .ci/requirements.txt lists in .venv: python3 -m venv .venv && .venv/bin/pip install -r .ci/requirements.txt'

/** As `make-files.py` shows an array. */
type Shown = { readonly dtype: string; readonly shape: readonly number[] } & (
  | { readonly hex: string }
  | { readonly data: readonly string[] }
)

const shown = ({ dtype, shape, data }: Tensor): Shown =>
  Array.isArray(data)
    ? { dtype, shape, data }
    : { dtype, shape, hex: Buffer.from(viewOf(data as ElementArray)).toString('hex') }

describe('beside NumPy and safetensors', { skip }, () => {
  let folder: string
  let arrays: Readonly<Record<string, Shown>>
  const run = (what: string) =>
    execFileSync(python, [join(import.meta.dirname, 'make-files.py'), what, folder], { encoding: 'utf8' })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-tensors-'))
    run('make')
    arrays = JSON.parse(readFileSync(join(folder, 'arrays.json'), 'utf8'))
  })
  after(() => rm(folder, { recursive: true }))

  const read = async (name: string) => (await readTensorFile(join(folder, name))).tensors
  const tensorOf = (one: Shown): Tensor => {
    const { dtype, shape } = one as Tensor
    if ('data' in one) return { dtype, shape, data: [...one.data] }
    const bytes = Buffer.from(one.hex, 'hex')
    const data = elements(
      dtype,
      shape.reduce((product, length) => product * length, 1),
    ) as ElementArray
    viewOf(data).set(bytes)
    return { dtype, shape, data }
  }

  for (const [name, count] of [
    ['stored.npz', 39],
    ['deflated.npz', 39],
    ['odd.npz', 8],
    ['none.npz', 0],
    ['plain.safetensors', 36],
    ['none.safetensors', 0],
  ] as const) {
    test(`${name} has the same tensors`, async () => {
      const tensors = await read(name)
      assert.equal(tensors.size, count)
      for (const [key, tensor] of tensors) assert.deepEqual(shown(tensor), arrays[key], key)
    })
  }

  test('they read every type, scalars and empty tensors as they were written, and so does this', async () => {
    const all = Object.entries(arrays).map(([name, one]) => [name, tensorOf(one)] as const)
    const numbers = all.filter(([, { dtype }]) => dtype !== 'string')
    for (const [format, tensors] of [
      ['npz', all],
      ['safetensors', numbers],
    ] as const) {
      writeFileSync(join(folder, `out.${format}`), Buffer.concat([...tensorFileParts(tensors, format)]))
      const again = await read(`out.${format}`)
      assert.equal(again.size, tensors.length)
      for (const [name, tensor] of again) assert.deepEqual(shown(tensor), arrays[name], name)
    }
    const { npz, safetensors } = JSON.parse(run('check'))
    assert.deepEqual(npz, Object.fromEntries(all.map(([name]) => [name, arrays[name]])))
    assert.deepEqual(safetensors, Object.fromEntries(numbers.map(([name]) => [name, arrays[name]])))
  })
})
