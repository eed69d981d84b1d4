/**
 * A real API server and scheduler, with nodes whose kubelet a test plays: it writes to the API what a kubelet writes, and runs nothing.
 * It counts quotas too, as the controller manager does.
 */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type KubernetesObject, loadAllYaml, type V1Pod, type V1ResourceQuota } from '@kubernetes/client-node'
import { KeyedMutex, systemClock } from '@millhand/process'
import { createAuthority, type Kubernetes, startKubernetes } from '@millhand/test-servers'
import { type Cluster, createCluster, kubeConfigOf, unlessMissing } from './cluster.ts'
import { createKubernetesDriver, type KubernetesDriver, type KubernetesDriverOptions } from './kubernetes-driver.ts'
import { createListWatch, keyOf, type ListWatch } from './list-watch.ts'

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
  addNode(name: string, options?: NodeOptions): Promise<TestNode>
  driver(more?: Partial<KubernetesDriverOptions>): KubernetesDriver
}

interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>
  readonly gpus?: number
  readonly cpus?: number
}

interface TestNode {
  /** Stops what it does, and says of it what the controller manager says after 50 s of silence. */
  lose(): Promise<void>
  /** Says that it is ready, and goes on. */
  restore(): Promise<void>
  /** Ends a pod's process, as its kubelet would say it. */
  end(namespace: string, name: string, exit: { exitCode: number; reason: string }): Promise<void>
}

const SIGNAL = new AbortController().signal
const MERGE = 'application/merge-patch+json'

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
  const counting = new KeyedMutex()
  const countQuotas = () =>
    void counting
      .runExclusive('', async () => {
        for (const quota of (await quotas.items(SIGNAL)).values()) {
          if (quota.status?.hard !== undefined) continue
          const hard = quota.spec?.hard ?? {}
          const used = Object.fromEntries(Object.keys(hard).map(key => [key, '0']))
          const path = `/api/v1/namespaces/${quota.metadata?.namespace}/resourcequotas/${quota.metadata?.name}/status`
          await admin.call('PATCH', path, { signal: SIGNAL, body: { status: { hard, used } }, contentType: MERGE })
        }
      })
      .catch(() => {})
  quotas.subscribe(countQuotas)

  return {
    kubernetes,
    admin,
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
      return playKubelet({ node: name, admin, podWatch, say, endLogs: kubelet.endLogs })
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
  return file
}

/** Whole seconds, as in all of the API's older times. */
const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z')

interface Kubelet {
  readonly node: string
  readonly admin: Cluster
  readonly podWatch: ListWatch<V1Pod>
  /** Whether the node is ready: `True`, or `Unknown`. */
  readonly say: (status: string) => Promise<unknown>
  readonly endLogs: (name: string) => void
}

function playKubelet({ node, admin, podWatch, say, endLogs }: Kubelet): TestNode {
  const known = new Map<string, 'started' | 'ended'>()
  const working = new KeyedMutex()
  let isLost = false

  const patch = (pod: V1Pod, status: unknown) =>
    unlessMissing(
      admin.call('PATCH', `/api/v1/namespaces/${pod.metadata?.namespace}/pods/${pod.metadata?.name}/status`, {
        ...{ signal: SIGNAL, body: { status }, contentType: MERGE },
      }),
    )
  const report = (pod: V1Pod, phase: string, state: object, ready = false) =>
    patch(pod, {
      ...{ phase, startTime: now() },
      containerStatuses: [
        {
          ...{ name: pod.spec?.containers[0]?.name, image: pod.spec?.containers[0]?.image, imageID: '' },
          ...{ ready, restartCount: 0, state },
        },
      ],
    })
  const terminate = (pod: V1Pod, exitCode: number, reason: string, message?: string) => {
    const startedAt = startedAtOf(pod) ?? now()
    endLogs(pod.metadata?.name ?? '')
    const terminated = { exitCode, reason, startedAt, finishedAt: now(), ...(message && { message }) }
    return report(pod, exitCode === 0 ? 'Succeeded' : 'Failed', { terminated })
  }

  async function start(pod: V1Pod): Promise<void> {
    const image = pod.spec?.containers[0]?.image ?? ''
    const waits = (reason: string, message = '') => report(pod, 'Pending', { waiting: { reason, message } })
    if (image.includes('missing')) return void (await waits('ErrImagePull', `failed to resolve ${image}: not found`))
    if (image.includes('denied')) return void (await waits('ErrImagePull', 'pull access denied: 401 Unauthorized'))
    if (image.includes('unreachable')) return void (await waits('ErrImagePull', 'dial tcp: lookup: no such host'))
    if (image.includes('slow')) return void (await waits('ContainerCreating'))
    if (image.includes('no-command'))
      return void (await terminate(
        pod,
        128,
        'StartError',
        'exec: "/bin/never": stat /bin/never: no such file or directory',
      ))
    await report(pod, 'Running', { running: { startedAt: now() } }, true)
    if (image.includes('exits')) await terminate(pod, 1, 'Error')
    if (image.includes('eats-memory')) await terminate(pod, 137, 'OOMKilled')
  }

  async function attend(seen: V1Pod): Promise<void> {
    const uid = seen.metadata?.uid ?? ''
    const pod = (await podWatch.items(SIGNAL)).get(keyOf(seen))
    if (isLost || pod?.metadata?.uid !== uid) return
    const state = known.get(uid)
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (state === 'ended') return
      known.set(uid, 'ended')
      if (pod.status?.containerStatuses?.[0]?.state?.terminated === undefined) await terminate(pod, 0, 'Completed')
      const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`
      const body = { gracePeriodSeconds: 0, preconditions: { uid } }
      await unlessMissing(admin.call('DELETE', path, { signal: SIGNAL, body }))
    } else if (state === undefined) {
      known.set(uid, 'started')
      await start(pod)
    }
  }

  const look = async () => {
    if (isLost) return
    const pods = [...(await podWatch.items(SIGNAL)).values()].filter(({ spec }) => spec?.nodeName === node)
    await Promise.all(pods.map(pod => working.runExclusive(pod.metadata?.uid ?? '', () => attend(pod))))
  }
  // What fails while the API server is away is done again after the next change.
  const changed = () => void look().catch(() => {})
  podWatch.subscribe(changed)
  changed()

  return {
    async lose() {
      isLost = true
      await say('Unknown')
    },
    async restore() {
      isLost = false
      await say('True')
      changed()
    },
    async end(namespace, name, { exitCode, reason }) {
      const pod = (await podWatch.items(SIGNAL)).get(`${namespace}/${name}`)
      if (pod !== undefined) await terminate(pod, exitCode, reason)
    },
  }
}

const startedAtOf = (pod: V1Pod) => pod.status?.containerStatuses?.[0]?.state?.running?.startedAt

/** The part of a kubelet that the API server asks for logs. */
async function startKubeletServer() {
  const { cert, key } = createAuthority('kubelets').issue()
  const started = new Date().toISOString().replace('Z', '123456Z')
  const server = createServer({ cert, key }, (request, answer) => {
    const url = new URL(request.url ?? '', 'https://kubelet')
    const [, , , pod = '', container] = url.pathname.split('/')
    if (!url.pathname.startsWith('/containerLogs/') || container === undefined) return void answer.writeHead(404).end()
    const since = Date.parse(url.searchParams.get('sinceTime') ?? '1970-01-01T00:00:00Z')
    const lines = since > Date.now() ? [] : [`${started} started`, `${started} at the same time`]
    const tail = url.searchParams.get('tailLines')
    const kept = tail === null ? lines : lines.slice(-Number(tail))
    answer.writeHead(200, { 'content-type': 'text/plain' })
    answer.write(kept.map(line => `${line}\n`).join(''))
    if (url.searchParams.get('follow') !== 'true') answer.end()
    else following.add({ pod, answer })
  })
  const following = new Set<{ readonly pod: string; readonly answer: ServerResponse }>()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends the logs of a pod that are followed. */
    endLogs(name: string) {
      for (const { pod, answer } of following) if (pod === name) answer.end()
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
