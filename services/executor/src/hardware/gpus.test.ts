import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readNvidiaSmi } from './gpus.ts'

it('reads what nvidia-smi tells: id, name and memory of each GPU', () => {
  const text = 'GPU-4f0b, NVIDIA H100 80GB HBM3, 81559\nGPU-77aa, NVIDIA RTX™ A4000, [N/A]\n'
  assert.deepEqual(readNvidiaSmi(text), [
    { id: 'GPU-4f0b', type: 'nvidia-h100-80gb-hbm3', name: 'NVIDIA H100 80GB HBM3', memoryMb: 81_559 },
    { id: 'GPU-77aa', type: 'nvidia-rtx-a4000', name: 'NVIDIA RTX™ A4000', memoryMb: 0 },
  ])
})

it('takes no error for a GPU', () => {
  for (const text of ['', 'NVIDIA-SMI has failed because it could not reach the driver', 'No devices were found'])
    assert.deepEqual(readNvidiaSmi(text), [])
})
