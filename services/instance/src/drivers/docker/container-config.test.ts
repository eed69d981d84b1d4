import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ReplicaSpec } from '../driver.ts'
import { containerConfig } from './container-config.ts'
import { labelsOf } from './labels.ts'

const replica: ReplicaSpec = {
  ...{ name: 'r-1', tenant: 'acct_1/live', instance: 'inst_1', index: 0, generation: 1, gpu: 'cpu' },
  ...{ image: 'server', env: { A: '1' }, ports: [] },
}

function configOf(
  more: Partial<ReplicaSpec> = {},
  imageVolumes: readonly string[] = [],
  devices: readonly string[] = [],
) {
  const all = { ...replica, ...more }
  return containerConfig({
    ...{ replica: all, size: { cpus: 0.5, memoryBytes: 2 ** 30, pids: 100 }, labels: labelsOf('d', all, devices) },
    ...{ imageId: 'sha256:1', imageVolumes, network: 'net', devices },
  }) as { HostConfig: Record<string, unknown>; Entrypoint?: unknown; Labels: Record<string, string> }
}

describe('the container of a replica', () => {
  it('has no privileges and a bound on everything', () => {
    const { HostConfig } = configOf()
    const { Privileged, CapDrop, SecurityOpt, ReadonlyRootfs, Memory, MemorySwap, NanoCpus, PidsLimit, IpcMode } =
      HostConfig
    assert.deepEqual(
      { Privileged, CapDrop, SecurityOpt, ReadonlyRootfs, Memory, MemorySwap, NanoCpus, PidsLimit, IpcMode },
      {
        ...{ Privileged: false, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], ReadonlyRootfs: true },
        ...{ Memory: 2 ** 30, MemorySwap: 2 ** 30, NanoCpus: 5e8, PidsLimit: 100, IpcMode: 'private' },
      },
    )
    assert.deepEqual([HostConfig.Mounts, HostConfig.Binds, HostConfig.Devices], [[], undefined, undefined])
  })

  it('puts the volumes that an image asks for in memory, where they are bounded', () => {
    const { Tmpfs } = configOf({}, ['/var/lib/db', '/data']).HostConfig
    assert.deepEqual(Object.keys(Tmpfs as object), ['/tmp', '/run', '/var/tmp', '/var/lib/db', '/data'])
    const withVolume = configOf({ volumeGb: 5 }, ['/var/lib/db', '/data']).HostConfig
    assert.deepEqual(Object.keys(withVolume.Tmpfs as object), ['/tmp', '/run', '/var/tmp', '/var/lib/db'])
    assert.match(JSON.stringify(withVolume.Mounts), /"size":"5G"/)
  })

  it('sets every label, so that an image can set none', () => {
    const { Labels } = configOf()
    assert.deepEqual(Object.keys(Labels), [
      ...['millhand.deployment', 'millhand.tenant', 'millhand.instance', 'millhand.index'],
      ...['millhand.generation', 'millhand.gpu', 'millhand.devices'],
    ])
  })

  it('names its GPUs by their ids', () => {
    const { HostConfig, Labels } = configOf({ gpu: 'h100' }, [], ['3'])
    assert.deepEqual(HostConfig.DeviceRequests, [{ Driver: 'nvidia', DeviceIDs: ['3'], Capabilities: [['gpu']] }])
    assert.equal(Labels['millhand.devices'], '3')
  })

  it('replaces the image’s command, or leaves it alone', () => {
    assert.deepEqual(configOf({ command: ['a', 'b'] }).Entrypoint, ['a', 'b'])
    assert.equal('Entrypoint' in configOf(), false)
  })
})
