/** The product on a Docker engine of its own, with an image that needs no registry. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { busyboxRoot, type Docker, startDocker } from '@millhand/test-servers'
import type { Wire } from './http.ts'
import { type Server, startServer } from './server.ts'

/** Says hello with `$GREETING`, and ends at once on SIGTERM. */
const IMAGE = 'millhand-test/server'
/** One that the engine does not have. */
export const MISSING = 'millhand-test/missing'
/** Of a machine that does something else, too. */
const LIMIT_MS = 240_000

export interface DockerServer extends AsyncDisposable {
  readonly docker: Docker
  readonly server: Server
  /** A new instance of `IMAGE`. */
  create(json?: object): Promise<Wire>
  scale(id: string, replicas: number): Promise<void>
  /** Asks for its end, and waits for it. */
  end(id: string): Promise<void>
  /** The instance once it is as wanted. */
  reaches(id: string, isSo: (instance: Wire) => boolean): Promise<Wire>
  /** How long a replica ran by what is metered of it, in milliseconds, once all is. The instance has ended. */
  metered(id: string, container: string): Promise<number>
  /** The names of all containers, also of those that have ended. */
  containers(): Promise<readonly string[]>
}

export async function startDockerServer(env: Readonly<Record<string, string>> = {}): Promise<DockerServer> {
  const docker = await startDocker()
  const root = await busyboxRoot()
  const script = 'echo "started with $GREETING"; trap "exit 0" TERM; while :; do sleep 60 & wait $!; done'
  await docker.importImage(root, IMAGE, [`ENTRYPOINT ${JSON.stringify(['sh', '-c', script])}`])
  await rm(root, { recursive: true })
  const server = await startServer({
    env: {
      MILLHAND_INSTANCE_DRIVER: 'docker',
      MILLHAND_DOCKER_HOST: docker.address,
      MILLHAND_INSTANCE_PRELOADED: `${IMAGE},${MISSING}`,
      // So small that many fit.
      MILLHAND_INSTANCE_SIZES: 'cpu=0.1x64',
      MILLHAND_EXECUTOR_SLOTS: '0',
      ...env,
    },
  })

  async function reaches(id: string, isSo: (instance: Wire) => boolean): Promise<Wire> {
    for (const deadline = performance.now() + LIMIT_MS; ; await pause(100)) {
      const { body, text } = await server.request('GET', `/v1/instances/${id}`)
      if (isSo(body)) return body
      assert.ok(performance.now() < deadline, text)
    }
  }

  return {
    docker,
    server,
    reaches,
    async create(json = {}) {
      const answer = await server.request('POST', '/v1/instances', { json: { gpu: 'cpu', image: IMAGE, ...json } })
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    },
    async scale(id, replicas) {
      const answer = await server.request('POST', `/v1/instances/${id}/scale`, { json: { replicas } })
      assert.equal(answer.status, 200, answer.text)
    },
    async end(id) {
      assert.equal((await server.request('DELETE', `/v1/instances/${id}`)).status, 200)
      await reaches(id, ({ status }) => status === 'terminated')
    },
    async metered(id, container) {
      const path = `/v1/events?resource_id=${id}&limit=100`
      // The archive of events may be behind: it has all once it has the end.
      for (const deadline = performance.now() + LIMIT_MS; ; await pause(100)) {
        const { body, text } = await server.request('GET', path)
        if (body.data.some(({ type }: Wire) => type === 'instance.terminated'))
          return body.data
            .map(({ data }: Wire) => data.object)
            .filter((of: Wire) => `${id.replace('_', '-')}-${of.replica}-${of.generation}` === container)
            .reduce((sum: number, { run_ms }: Wire) => sum + run_ms, 0)
        assert.ok(performance.now() < deadline, text)
      }
    },
    async containers() {
      return (await docker.docker('ps', '--all', '--format', '{{.Names}}')).split('\n').filter(Boolean).sort()
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await docker[Symbol.asyncDispose]()
    },
  }
}

/** Whether an instance runs as many replicas, and has no others. */
export const runs =
  (count: number) =>
  ({ status, replicas }: Wire): boolean =>
    status === 'running' && replicas.length === count
