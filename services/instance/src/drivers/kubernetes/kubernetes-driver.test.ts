import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { V1Pod, V1ResourceQuota, V1Secret } from '@kubernetes/client-node'
import { kubernetesMissing } from '@millhand/test-servers'
import { describeDriver, fault, LIMIT_MS, specOf } from '../driver.contract.ts'
import type { Driver, ReplicaSpec } from '../driver.ts'
import { ClusterError, createCluster, kubeConfigOf } from './cluster.ts'
import { images, startCluster, type TestCluster } from './kubernetes.fixture.ts'
import type { KubernetesDriver } from './kubernetes-driver.ts'
import { namespaceOf } from './labels.ts'
import { podOf } from './pod.ts'

const signal = () => AbortSignal.timeout(LIMIT_MS)
const namespace = namespaceOf('millhand-', 'test', 'acct_1/live')

describeDriver(
  'kubernetes',
  async () => {
    const cluster = await startCluster()
    await cluster.addNode('node-1')
    return {
      driver: cluster.driver(),
      reopen: () => cluster.driver(),
      images,
      async vanish(name) {
        const path = `/api/v1/namespaces/${namespace}/pods/${name}`
        await cluster.admin.call('DELETE', path, { signal: signal(), body: { gracePeriodSeconds: 0 } })
      },
      loseHost: async () => cluster.kubernetes.pause(),
      restoreHost: async () => cluster.kubernetes.resume(),
      close: async () => await cluster[Symbol.asyncDispose](),
    }
  },
  { skip: kubernetesMissing },
)

describe('the kubernetes driver', { skip: kubernetesMissing }, () => {
  let cluster: TestCluster
  let driver: KubernetesDriver
  const create = async (more: Partial<ReplicaSpec> = {}, by: Driver = driver) => {
    const spec = specOf({ images }, more)
    await by.create(spec, { signal: signal() })
    return spec
  }
  const get = <T>(path: string) => cluster.admin.call<T>('GET', path, { signal: signal() })
  const podNamed = (name: string) => get<V1Pod>(`/api/v1/namespaces/${namespace}/pods/${name}`)
  const refused = (status: number, message: RegExp) => (error: unknown) =>
    error instanceof ClusterError && error.status === status && message.test(error.message)

  before(async () => {
    cluster = await startCluster()
    await cluster.addNode('plain')
    await cluster.addNode('with-gpus', { labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100' }, gpus: 2 })
    driver = cluster.driver()
  })
  after(() => cluster?.[Symbol.asyncDispose]())
  afterEach(async () => {
    const { replicas } = await driver.list(signal())
    await Promise.all(replicas.map(replica => driver.remove(replica, signal())))
  })

  it('keeps variables and credentials in secrets that go with the pod', async () => {
    const registryCredential = { username: 'user', password: 'pass-hush' }
    const { name } = await create({ env: { TOKEN: 'env-hush' }, registryCredential, image: 'ghcr.io/acme/server' })
    const pod = await podNamed(name)
    assert.doesNotMatch(JSON.stringify(pod), /hush/)
    assert.equal(pod.spec?.automountServiceAccountToken, false)
    assert.equal(pod.spec?.containers[0]?.image, 'ghcr.io/acme/server:latest')
    const secrets = await get<{ items: V1Secret[] }>(`/api/v1/namespaces/${namespace}/secrets`)
    const [env, registry] = [`${name}-env`, `${name}-registry`].map(each =>
      secrets.items.find(({ metadata }) => metadata?.name === each),
    )
    for (const secret of [env, registry])
      assert.deepEqual(
        secret?.metadata?.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
        [['Pod', pod.metadata?.uid]],
      )
    const decoded = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString()
    assert.equal(decoded(env?.data?.TOKEN), 'env-hush')
    const { auths } = JSON.parse(decoded(registry?.data?.['.dockerconfigjson']))
    assert.deepEqual([auths['ghcr.io'].username, auths['ghcr.io'].password], ['user', 'pass-hush'])
    assert.deepEqual(pod.spec?.imagePullSecrets, [{ name: `${name}-registry` }])
  })

  it('makes a namespace in which nobody can have more than a replica has', async () => {
    const { name } = await create()
    const { metadata, spec } = await podNamed(name)
    const container = { name: 'x', image: 'x', resources: spec?.containers[0]?.resources }
    const attempt = (more: object) =>
      cluster.admin.call('POST', `/api/v1/namespaces/${metadata?.namespace}/pods`, {
        signal: signal(),
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'hostile' },
          spec: { containers: [container], ...more },
        },
      })
    const hostile = [
      { hostNetwork: true },
      { hostPID: true },
      { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
      { containers: [{ ...container, securityContext: { privileged: true } }] },
      {},
    ]
    for (const more of hostile) await assert.rejects(attempt(more), refused(403, /violates PodSecurity "restricted/))
    const large = { ...container, resources: { limits: { cpu: '64', memory: '1Gi', 'ephemeral-storage': '1Gi' } } }
    const allowed = { ...spec, schedulingGates: [], nodeName: undefined }
    const larger = { ...allowed, containers: [{ ...spec?.containers[0], ...large }] }
    await assert.rejects(attempt(larger), refused(403, /maximum cpu usage per Container/))
    type Policy = { spec: { podSelector: object; policyTypes: string[]; ingress: unknown; egress: unknown } }
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/millhand`
    assert.deepEqual((await get<Policy>(path)).spec, {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: {} }] }],
      egress: [{ to: [{ podSelector: {} }] }],
    })
  })

  it('has an account that writes to namespaces of its own only, and reads no secret', async () => {
    await create()
    await using own = createCluster(kubeConfigOf(cluster.kubeConfig))
    const metadata = { name: 'hostile' }
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'x', image: 'x' }] } }
    const attempts: [() => Promise<unknown>, RegExp][] = [
      [
        () => own.call('POST', '/api/v1/namespaces/kube-system/pods', { signal: signal(), body: pod }),
        /of its own only/,
      ],
      [
        () =>
          own.call('POST', '/api/v1/namespaces', {
            ...{ signal: signal(), body: { apiVersion: 'v1', kind: 'Namespace', metadata } },
          }),
        /of its own only/,
      ],
      [
        () => own.call('GET', `/api/v1/namespaces/${namespace}/secrets`, { signal: signal() }),
        /cannot list resource "secrets"/,
      ],
    ]
    for (const [attempt, message] of attempts) await assert.rejects(attempt(), refused(403, message))
  })

  it('runs no more in a namespace than its quota has, whatever the plan says', async () => {
    const strict = cluster.driver({ podsOfTenant: 1 })
    const tenant = 'acct_bounded/live'
    await create({ tenant }, strict)
    const path = `/api/v1/namespaces/${namespaceOf('millhand-', 'test', tenant)}/resourcequotas/millhand`
    while ((await get<V1ResourceQuota>(path)).status?.used?.pods !== '1');
    await assert.rejects(create({ tenant }, strict), fault('no_capacity'))
  })

  it('places a replica with a GPU of its own on a node of its type', async () => {
    const gpu = 'nvidia-h100'
    const places = async () => {
      const all = await driver.capacity(signal())
      return all.filter(each => each.gpu === gpu).map(({ total, free }) => ({ total, free }))
    }
    assert.deepEqual(await places(), [{ total: 2, free: 2 }])
    const [first] = await Promise.all([create({ gpu }), create({ gpu })])
    assert.equal((await podNamed(first.name)).spec?.nodeName, 'with-gpus')
    assert.deepEqual(await places(), [{ total: 2, free: 0 }])
    await assert.rejects(create({ gpu }), fault('no_capacity'))
    assert.equal((await driver.list(signal())).replicas.length, 2)
  })

  it('says why an image can not be pulled, and leaves nothing behind', async () => {
    await assert.rejects(create({ image: images.denied }), fault('image_denied'))
    await assert.rejects(create({ image: images.unreachable }), fault('registry_unavailable'))
    await assert.rejects(create({ image: 'UPPER case' }), fault('image_not_found'))
    await assert.rejects(create({ ports: [{ port: 80 }] }), fault('ports_unsupported'))
    await assert.rejects(create({ isExecutor: true }), fault('executors_unsupported'))
    const strict = cluster.driver({ images: { registries: ['registry.example.com'] } })
    await assert.rejects(create({}, strict), fault('registry_not_allowed'))
    const { items } = await get<{ items: V1Pod[] }>(`/api/v1/namespaces/${namespace}/pods`)
    assert.deepEqual(items, [])
  })

  it('starts a replica that a call which broke off has only made', async () => {
    const replica = specOf({ images }, { env: { A: 'b' } })
    const size = { cpus: 0.1, memoryBytes: 2 ** 26, pids: 32 }
    const body = podOf({
      ...{ deployment: 'test', replica, size, isPreloaded: false, graceSeconds: 2, nodeSelector: {} },
    })
    await create() // Makes the namespace.
    await cluster.admin.call('POST', `/api/v1/namespaces/${namespace}/pods`, { signal: signal(), body })
    const other = cluster.driver()
    const stateOf = async () => (await other.list(signal())).replicas.find(({ name }) => name === replica.name)?.state
    assert.equal(await stateOf(), 'creating')
    await other.create(replica, { signal: signal() })
    assert.equal(await stateOf(), 'running')
    await get(`/api/v1/namespaces/${namespace}/secrets/${replica.name}-env`)
  })

  it('leaves pods of other deployments alone', async () => {
    const other = cluster.driver({ deployment: 'other' })
    const spec = await create({}, other)
    assert.deepEqual((await driver.list(signal())).replicas, [])
    await driver.remove({ name: spec.name }, signal())
    assert.equal((await other.list(signal())).replicas.length, 1)
    await other.remove({ name: spec.name }, signal())
  })
})
