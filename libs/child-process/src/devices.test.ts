import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { deviceAccess, driverLibrary } from './devices.ts'
import { wrapCommand } from './os-sandbox.ts'

describe('what a process on a GPU is given', () => {
  it('is what drivers are named by, and nothing else of the environment', t => {
    const folder = mkdtempSync(join(tmpdir(), 'drivers-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const manifest = join(folder, 'icd.json')
    writeFileSync(manifest, JSON.stringify({ ICD: { library_path: './driver.so' } }))
    const env = { VK_DRIVER_FILES: manifest, LD_LIBRARY_PATH: '/opt/cuda:relative:', MILLHAND_SECRET_KEY: 'secret' }
    const access = deviceAccess(env)
    const { VK_DRIVER_FILES, LD_LIBRARY_PATH, CUDA_CACHE_DISABLE, ...others } = access.env
    assert.deepEqual([VK_DRIVER_FILES, LD_LIBRARY_PATH, CUDA_CACHE_DISABLE], [manifest, '/opt/cuda:relative:', '1'])
    assert.deepEqual(others, {})
    assert.deepEqual(access.readable.slice(0, 3), ['/opt/cuda', manifest, join(folder, 'driver.so')])
    writeFileSync(manifest, 'no JSON')
    assert.equal(driverLibrary(manifest), undefined)
  })

  it('is mounted for it alone, and its groups are the only ones', () => {
    const plan = { tool: 'bwrap', firstUid: 1_900_000_000, missing: [] } as const
    const needs = { folder: '/tmp', writes: false, readable: [] }
    const devices = { env: {}, devices: ['/dev/nvidia0'], readable: ['/opt/cuda'], groups: [105] }
    const given = wrapCommand(plan, ['true'], { ...needs, devices }).command.join(' ')
    assert.match(given, /--dev-bind-try \/dev\/nvidia0 \/dev\/nvidia0 .*--ro-bind-try \/opt\/cuda \/opt\/cuda /)
    assert.ok(!given.includes('--reuid') || given.includes('--groups=105'))
    const plain = wrapCommand(plan, ['true'], needs).command.join(' ')
    assert.doesNotMatch(plain, /nvidia|cuda/)
  })
})
