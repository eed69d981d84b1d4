/** A node whose kubelet a test plays: it writes to the API what a kubelet writes, and runs nothing. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { V1Pod } from '@kubernetes/client-node'
import { KeyedMutex } from '@millhand/process'
import { createAuthority } from '@millhand/test-servers'
import { type Cluster, unlessMissing } from './cluster.ts'
import { keyOf, type ListWatch } from './list-watch.ts'

export interface TestNode {
  /** Stops what it does, and says of it what the controller manager says after 50 s of silence. */
  lose(): Promise<void>
  /** Says that it is ready, and goes on. */
  restore(): Promise<void>
  /** Ends a pod's process, as its kubelet would say it. */
  end(namespace: string, name: string, exit: { exitCode: number; reason: string }): Promise<void>
}

interface Kubelet {
  readonly node: string
  readonly admin: Cluster
  readonly podWatch: ListWatch<V1Pod>
  /** Whether the node is ready: `True`, or `Unknown`. */
  readonly say: (status: string) => Promise<unknown>
  readonly endLogs: (name: string) => void
  /** What each replica ran, once it has ended. */
  readonly runs: Map<string, Run>
}

/** In milliseconds since 1970. */
export interface Run {
  readonly from: number
  readonly to: number
}

export function playKubelet({ node, admin, podWatch, say, endLogs, runs }: Kubelet): TestNode {
  /** What the API server has been told of each pod. */
  const known = new Map<string, 'started' | 'ended'>()
  /** The times of each process, which stay the same however often they are told. */
  const ran = new Map<string, { startedAt?: string; finishedAt?: string }>()
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
    const name = pod.metadata?.name ?? ''
    const run = ran.get(pod.metadata?.uid ?? '') ?? {}
    ran.set(pod.metadata?.uid ?? '', run)
    run.finishedAt ??= now()
    endLogs(name)
    if (run.startedAt !== undefined) runs.set(name, { from: Date.parse(run.startedAt), to: Date.parse(run.finishedAt) })
    const { startedAt = run.finishedAt, finishedAt } = run
    const terminated = { exitCode, reason, startedAt, finishedAt, ...(message && { message }) }
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
    const run = ran.get(pod.metadata?.uid ?? '') ?? { startedAt: now() }
    ran.set(pod.metadata?.uid ?? '', run)
    await report(pod, 'Running', { running: { startedAt: run.startedAt } }, true)
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
      if (pod.status?.containerStatuses?.[0]?.state?.terminated === undefined) await terminate(pod, 0, 'Completed')
      const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`
      const body = { gracePeriodSeconds: 0, preconditions: { uid } }
      await unlessMissing(admin.call('DELETE', path, { signal: SIGNAL, body }))
      known.set(uid, 'ended')
    } else if (state === undefined) {
      await start(pod)
      known.set(uid, 'started')
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

/** Whole seconds, as in all of the API's older times. */
export const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z')

/** The part of a kubelet that the API server asks for logs. */
export async function startKubeletServer() {
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
    if (url.searchParams.get('follow') !== 'true' || ended.has(pod)) answer.end()
    else following.add({ pod, answer })
  })
  const ended = new Set<string>()
  const following = new Set<{ readonly pod: string; readonly answer: ServerResponse }>()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends the logs of a pod that are followed. */
    endLogs(name: string) {
      ended.add(name)
      for (const { pod, answer } of following) if (pod === name) answer.end()
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const SIGNAL = new AbortController().signal
export const MERGE = 'application/merge-patch+json'
