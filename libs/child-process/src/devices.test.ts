import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { deviceAccess, deviceGroups, driverLibrary } from './devices.ts'
import { wrapCommand } from './os-sandbox.ts'

describe('what a process on a GPU is given', () => {
  it('is what drivers are named by, and nothing else of the environment', t => {
    const folder = mkdtempSync(join(tmpdir(), 'drivers-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const manifest = join(folder, 'icd.json')
    writeFileSync(manifest, JSON.stringify({ ICD: { library_path: './driver.so' } }))
    const [libraries, link] = [join(folder, 'cuda-13'), join(folder, 'cuda')]
    mkdirSync(libraries)
    symlinkSync(libraries, link)
    const paths = `${link}:relative::${join(folder, 'none')}`
    const env = { VK_DRIVER_FILES: manifest, LD_LIBRARY_PATH: paths, MILLHAND_SECRET_KEY: 'secret' }
    const access = deviceAccess(env)
    const { VK_DRIVER_FILES, LD_LIBRARY_PATH, CUDA_CACHE_DISABLE, ...others } = access.env
    assert.deepEqual([VK_DRIVER_FILES, LD_LIBRARY_PATH, CUDA_CACHE_DISABLE], [manifest, realpathSync(libraries), '1'])
    assert.deepEqual(others, {})
    assert.deepEqual(access.readable.slice(0, 3), [realpathSync(libraries), manifest, join(folder, 'driver.so')])
    writeFileSync(manifest, 'no JSON')
    assert.equal(driverLibrary(manifest), undefined)
  })

  const isRoot = process.getuid?.() === 0
  it('is no group of root, nor of the server', { skip: isRoot ? false : 'needs root' }, t => {
    const folder = mkdtempSync(join(tmpdir(), 'devices-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const device = (name: string, gid: number, mode: number) => {
      const path = join(folder, name)
      writeFileSync(path, '')
      chownSync(path, 0, gid)
      chmodSync(path, mode)
      return path
    }
    const devices = [
      device('of-root', 0, 0o660),
      device('of-the-server', process.getgid?.() as number, 0o660),
      device('of-a-group', 1_105, 0o660),
      device('of-the-same', 1_105, 0o660),
      device('for-all', 1_106, 0o666),
      device('for-its-owner', 1_107, 0o600),
    ]
    assert.deepEqual(deviceGroups([...devices, join(folder, 'none')]), [1_105])
    process.setegid?.(1_105)
    t.after(() => process.setegid?.(0))
    assert.deepEqual(deviceGroups(devices), [])
  })

  it('is mounted for it alone, and its groups are the only ones', () => {
    const plan = { tool: 'bwrap', firstUid: 1_900_000_000, missing: [] } as const
    const needs = { folder: '/tmp', writes: false, readable: [] }
    const devices = {
      env: {},
      devices: ['/dev/nvidia0'],
      readable: ['/opt/cuda', '/usr/local/cuda/lib64'],
      groups: [105],
      residentBytes: 0,
    }
    const given = wrapCommand(plan, ['true'], { ...needs, devices }).command.join(' ')
    assert.match(given, /--dev-bind-try \/dev\/nvidia0 \/dev\/nvidia0 .*--ro-bind-try \/opt\/cuda \/opt\/cuda /)
    assert.doesNotMatch(given, /\/usr\/local\/cuda/, 'it is seen with /usr, and nothing can be made there')
    assert.ok(!given.includes('--reuid') || given.includes('--groups=105'))
    const plain = wrapCommand(plan, ['true'], needs).command.join(' ')
    assert.doesNotMatch(plain, /nvidia|cuda/)
  })
})
