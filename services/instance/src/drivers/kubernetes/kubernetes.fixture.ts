/**
 * A real API server and scheduler, with nodes whose kubelet a test plays: it writes to the API what a kubelet writes, and runs nothing.
 * It counts quotas too, as the controller manager does.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { type KubernetesObject, loadAllYaml, type V1Pod, type V1ResourceQuota } from '@kubernetes/client-node'
import { KeyedMutex, systemClock } from '@millhand/process'
import { type Kubernetes, startKubernetes } from '@millhand/test-servers'
import { type Cluster, createCluster, kubeConfigOf } from './cluster.ts'
import { MERGE, now, playKubelet, type Run, startKubeletServer, type TestNode } from './kubelet.fixture.ts'
import { createKubernetesDriver, type KubernetesDriver, type KubernetesDriverOptions } from './kubernetes-driver.ts'
import { createListWatch, type ListWatch } from './list-watch.ts'

export const images = {
  runs: 'millhand-test/runs',
  missing: 'millhand-test/missing',
  exits: 'millhand-test/exits',
  eatsMemory: 'millhand-test/eats-memory',
  noCommand: 'millhand-test/no-command',
  denied: 'millhand-test/denied',
  unreachable: 'registry.invalid/unreachable',
  /** Stays in `ContainerCreating`. */
  slow: 'millhand-test/slow',
}

export interface TestCluster extends AsyncDisposable {
  readonly kubernetes: Kubernetes
  /** Calls as the administrator. */
  readonly admin: Cluster
  /** The path of the configuration file of drivers. */
  readonly kubeConfig: string
  /** What each replica ran, by name, once it has ended. */
  readonly runs: ReadonlyMap<string, Run>
  /** Ends a pod's process, as its node. */
  endPod(pod: V1Pod, exitCode: number): Promise<void>
  addNode(name: string, options?: NodeOptions): Promise<TestNode>
  driver(more?: Partial<KubernetesDriverOptions>): KubernetesDriver
}

interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>
  readonly gpus?: number
  readonly cpus?: number
}

const SIGNAL = new AbortController().signal

const sizes = {
  cpu: { cpus: 0.1, memoryBytes: 64 * 2 ** 20, pids: 32 },
  'nvidia-h100': { cpus: 0.1, memoryBytes: 64 * 2 ** 20, pids: 32 },
}

export async function startCluster(): Promise<TestCluster> {
  const kubernetes = await startKubernetes()
  const admin = createCluster(kubeConfigOf(kubernetes.kubeconfig))
  const podWatch = createListWatch<V1Pod>({
    cluster: admin,
    path: '/api/v1/pods',
    keep: pod => pod,
    clock: systemClock,
  })
  const quotas = createListWatch<V1ResourceQuota>({
    ...{ cluster: admin, path: '/api/v1/resourcequotas', keep: (quota: V1ResourceQuota) => quota, clock: systemClock },
  })
  const kubelet = await startKubeletServer()
  const kubeConfig = await writeAccount(kubernetes, admin)
  const opened: AsyncDisposable[] = []
  const runs = new Map<string, Run>()
  const nodes = new Map<string, TestNode>()
  countQuotas(admin, quotas, podWatch)

  return {
    kubernetes,
    admin,
    kubeConfig,
    runs,
    async endPod({ metadata, spec }, exitCode) {
      const exit = { exitCode, reason: 'Error' }
      await nodes.get(spec?.nodeName ?? '')?.end(metadata?.namespace ?? '', metadata?.name ?? '', exit)
    },
    async addNode(name, { labels = {}, gpus = 0, cpus = 4 } = {}) {
      const node = {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      }
      const call = (method: 'POST' | 'PATCH', path: string, body: unknown) =>
        admin.call(method, path, { signal: SIGNAL, body, ...(method === 'PATCH' && { contentType: MERGE }) })
      await call('POST', '/api/v1/nodes', node)
      // The controller manager takes it away once the node is ready.
      await call('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: [] } })
      const room = {
        cpu: String(cpus),
        memory: '8Gi',
        'ephemeral-storage': '100Gi',
        pods: '110',
        'nvidia.com/gpu': String(gpus),
      }
      const say = (status: string) =>
        call('PATCH', `/api/v1/nodes/${name}/status`, {
          status: {
            ...{ capacity: room, allocatable: room },
            conditions: [
              { type: 'Ready', status, reason: 'Test', lastHeartbeatTime: now(), lastTransitionTime: now() },
            ],
            addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
            daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
          },
        })
      await say('True')
      await untilScheduled(admin, podWatch, name)
      const played = playKubelet({ node: name, admin, podWatch, say, endLogs: kubelet.endLogs, runs })
      nodes.set(name, played)
      return played
    },
    driver(more = {}) {
      const driver = createKubernetesDriver({
        ...{ deployment: 'test', kubeConfig, namespacePrefix: 'millhand-', clock: systemClock, sizes },
        ...{ gpuLabel: 'nvidia.com/gpu.product', podsOfTenant: 1_000, graceSeconds: 2 },
        ...more,
      })
      opened.push(driver)
      return driver
    },
    async [Symbol.asyncDispose]() {
      for (const one of [...opened, podWatch, quotas, admin]) await one[Symbol.asyncDispose]()
      await kubelet.close()
      await kubernetes[Symbol.asyncDispose]()
    },
  }
}

/** The scheduler learns of a node a moment after it is there, and after seconds where the API server was away. */
async function untilScheduled(admin: Cluster, podWatch: ListWatch<V1Pod>, node: string): Promise<void> {
  const path = '/api/v1/namespaces/default/pods'
  const spec = {
    nodeSelector: { 'kubernetes.io/hostname': node },
    containers: [{ name: 'probe', image: 'probe' }],
    tolerations: [{ operator: 'Exists' }],
  }
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: node }, spec }
  await admin.call('POST', path, { signal: SIGNAL, body })
  await podWatch.until(pods => pods.get(`default/${node}`)?.spec?.nodeName, SIGNAL)
  await admin.call('DELETE', `${path}/${node}`, { signal: SIGNAL, body: { gracePeriodSeconds: 0 } })
  await podWatch.until(pods => (pods.has(`default/${node}`) ? undefined : true), SIGNAL)
}

/** Writes what the quotas of namespaces have left, as the controller manager does. */
function countQuotas(admin: Cluster, quotas: ListWatch<V1ResourceQuota>, podWatch: ListWatch<V1Pod>): void {
  const counting = new KeyedMutex()
  const count = async ({ metadata, spec, status }: V1ResourceQuota) => {
    const pods = [...(await podWatch.items(SIGNAL)).values()].filter(
      pod =>
        pod.metadata?.namespace === metadata?.namespace && !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''),
    ).length
    const hard = spec?.hard ?? {}
    if (status?.hard !== undefined && status.used?.pods === String(pods)) return
    const used = { ...Object.fromEntries(Object.keys(hard).map(key => [key, '0'])), pods: String(pods) }
    // Not over what the server has counted meanwhile.
    const body = { metadata: { resourceVersion: metadata?.resourceVersion }, status: { hard, used } }
    const path = `/api/v1/namespaces/${metadata?.namespace}/resourcequotas/${metadata?.name}/status`
    await admin.call('PATCH', path, { signal: SIGNAL, body, contentType: MERGE }).catch(() => {})
  }
  const countAll = () =>
    void counting
      .runExclusive('', async () => {
        for (const quota of (await quotas.items(SIGNAL)).values()) await count(quota)
      })
      .catch(() => {})
  quotas.subscribe(countAll)
  podWatch.subscribe(countAll)
}

const MANIFESTS = new URL('../../../../../deploy/kubernetes/instance.yaml', import.meta.url)

const PATHS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/namespaces/millhand/serviceaccounts',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  ValidatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
}

/** The account that the operators' page has them make: drivers may what it may. Returns the path of its configuration file. */
async function writeAccount({ kubeconfig }: Kubernetes, admin: Cluster): Promise<string> {
  const query = { fieldValidation: 'Strict' }
  for (const body of loadAllYaml(await readFile(MANIFESTS, 'utf8')) as KubernetesObject[])
    await admin.call('POST', PATHS[body.kind ?? ''] ?? '', { signal: SIGNAL, body, query })
  const path = '/api/v1/namespaces/millhand/serviceaccounts/instance/token'
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const { status } = await admin.call<{ status: { token: string } }>('POST', path, { signal: SIGNAL, body })
  const config = JSON.parse(await readFile(kubeconfig, 'utf8'))
  config.users = [{ name: 'admin', user: { token: status.token } }]
  const file = `${kubeconfig}-instance`
  await writeFile(file, JSON.stringify(config))
  await using account = createCluster(kubeConfigOf(file))
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hostile' } }
  const isBound = () =>
    account.call('POST', '/api/v1/namespaces', { signal: SIGNAL, body: namespace, query: { dryRun: 'All' } }).then(
      () => false,
      error => /of its own only/.test(`${error}`),
    )
  // The server learns of its policies a moment after they are made.
  while (!(await isBound()));
  return file
}
