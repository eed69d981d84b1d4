import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ReplicaSpec } from '../driver.ts'
import { podOf, secretsOf } from './pod.ts'

const replica: ReplicaSpec = {
  ...{ name: 'r-1', tenant: 'acct_A/live', instance: 'inst_1', index: 2, generation: 3, gpu: 'cpu' },
  ...{ image: 'nginx', env: { TOKEN: 'hush' }, ports: [] },
}
const size = { cpus: 0.25, memoryBytes: 2 ** 30, pids: 1 }
const of = (more: Partial<Parameters<typeof podOf>[0]> = {}) =>
  podOf({
    ...{ deployment: 'test', replica, size, isPreloaded: false, graceSeconds: 10, nodeSelector: { pool: 'a' } },
    ...more,
  })

describe('the pod of a replica', () => {
  it('gives an image that is not trusted no way to its node', () => {
    const { spec } = of()
    const [container] = spec?.containers ?? []
    assert.deepEqual(container?.securityContext, {
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(spec?.securityContext?.runAsNonRoot, true)
    assert.deepEqual(spec?.securityContext?.seccompProfile, { type: 'RuntimeDefault' })
    assert.deepEqual([spec?.hostNetwork, spec?.hostPID, spec?.hostIPC], [false, false, false])
    assert.deepEqual([spec?.automountServiceAccountToken, spec?.enableServiceLinks], [false, false])
    assert.equal(spec?.dnsPolicy, 'None')
    assert.ok(spec?.volumes?.every(({ emptyDir }) => emptyDir?.sizeLimit !== undefined))
  })

  it('bounds all that it may take', () => {
    const { spec } = of({ replica: { ...replica, volumeGb: 5 } })
    const [container] = spec?.containers ?? []
    const taken = { cpu: '250m', memory: String(2 ** 30), 'ephemeral-storage': String(2 ** 30 + 5e9) }
    assert.deepEqual(container?.resources, { requests: taken, limits: taken })
    assert.deepEqual(container?.volumeMounts?.at(-1), { name: 'data', mountPath: '/data' })
    assert.equal(spec?.volumes?.find(({ name }) => name === 'data')?.emptyDir?.sizeLimit, '5G')
  })

  it('has no secret in it, and secrets have the pod as their owner', () => {
    const secret = { ...replica, registryCredential: { username: 'u', password: 'hush' } }
    assert.doesNotMatch(JSON.stringify(of({ replica: secret })), /hush/)
    for (const { metadata } of secretsOf('test', secret, 'uid-1')) {
      assert.equal(metadata?.ownerReferences?.[0]?.uid, 'uid-1')
      assert.equal(metadata?.labels?.['millhand/deployment'], 'test')
    }
    assert.equal(secretsOf('test', secret, 'uid-1').length, 2)
    assert.deepEqual(secretsOf('test', { ...replica, env: {} }, 'uid-1'), [])
  })

  it('runs one GPU of a type of node, beside the nodes for all', () => {
    const { spec } = of({ gpu: { label: 'gpu', values: ['H100'] } })
    assert.equal(spec?.containers[0]?.resources?.limits?.['nvidia.com/gpu'], '1')
    assert.deepEqual(spec?.nodeSelector, { pool: 'a' })
    assert.match(JSON.stringify(spec?.affinity), /"key":"gpu","operator":"In","values":\["H100"\]/)
  })

  it('asks the registry for every image but those that the operator has put on the nodes', () => {
    const image = (pod: ReturnType<typeof podOf>) =>
      pod.spec?.containers.map(each => [each.image, each.imagePullPolicy])
    assert.deepEqual(image(of()), [['docker.io/library/nginx:latest', 'Always']])
    assert.deepEqual(image(of({ isPreloaded: true })), [['docker.io/library/nginx:latest', 'Never']])
  })
})
