/**
 * A server that files of tests have one after the other: each start costs more than most files take. A file is alone with it
 * while it visits, under an account of its own, and may stop it, kill it and start it again.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { requests, type Served, type Server, startServer, temporaryFolder } from './server.ts'
import { ownModels } from './tasks.ts'

export interface Visited extends Served {
  readonly pid: number
  /** The folder for the temporary files of its processes. */
  readonly tmpDir: string
  /** SIGTERM; resolves when the process has gone. */
  stop(): Promise<void>
  /** SIGKILL; resolves when the process has gone. */
  kill(): Promise<void>
  /** Starts again on the same data folder and the same addresses, after `stop` or `kill`. */
  restart(): Promise<void>
  /** Standard output and standard error since its first start, also those of earlier visits. */
  logs(): Promise<string>
  /** Has to be called last: what was done to it has not broken it. */
  leave(): Promise<void>
}

/** By family; without an entry there is no limit. */
export type Plans = Readonly<Partial<Record<'compute' | 'developer' | 'workforce', string>>>

/** Resolves once it is ready. `TEST_SHARED` names one that is shared; without it the file has its own. */
export async function visitServer({ plans = {} }: { readonly plans?: Plans } = {}): Promise<Visited> {
  const { TEST_SHARED: shared } = process.env
  const host = shared === undefined ? await hostServer() : undefined
  const { control, ...addresses }: Shared = JSON.parse(shared ?? host?.shared ?? '')
  const ask = async (action: Action) => {
    const response = await fetch(`${control}/${action}`, { method: 'POST' })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return text
  }
  const life: Life = JSON.parse(await ask('life'))
  const served = { ...addresses, ...life }
  // Loads a good part of the product.
  const { keyOf, newAccount } = await import('./operator.ts')
  const account = await newAccount(served, 'a visitor', plans)
  const [key, testKey] = [await keyOf(served, account), await keyOf(served, account, { mode: 'test' })]
  const request = requests(served.url, key)
  const visited: Visited = {
    ...served,
    ...{ key, testKey, request },
    stop: async () => void (await ask('stop')),
    kill: async () => void (await ask('kill')),
    restart: async () => {
      Object.assign(visited, JSON.parse(await ask('restart')))
    },
    logs: () => ask('logs'),
    leave: async () => {
      assert.equal((await request('GET', '/healthz')).status, 200)
      await host?.close()
    },
  }
  return visited
}

/** What `TEST_SHARED` holds as JSON. */
type Shared = Pick<Visited, 'url' | 'grpc' | 'metrics' | 'dataDir' | 'tmpDir'> & {
  /** Where the one who started it carries out what a visitor asks for. */
  readonly control: string
}

/** What a restart changes. */
type Life = Pick<Visited, 'pid' | 'identity' | 'billing'>

export interface Host {
  /** For `TEST_SHARED` in the environment of the files that visit. */
  readonly shared: string
  /** Stops the server; fails where that is no clean end. */
  close(): Promise<void>
}

/** The plans that come with Millhand, where a second of compute costs a dollar: costs of short runs can be told apart. */
export function dearPlans(folder: string): string {
  const plans = readFileSync(new URL('../../../deploy/plans.yaml', import.meta.url), 'utf8')
  const file = join(folder, 'plans.yaml')
  const dear = plans
    .replace('compute_second: { default: 0.00002', 'compute_second: { default: 1')
    .replace('workforce_second: 0.00002', 'workforce_second: 1')
  writeFileSync(file, dear)
  return file
}

/** A server for visitors. */
export async function hostServer(): Promise<Host> {
  const tmpDir = temporaryFolder('millhand-visited-')
  const server = await startServer({
    env: {
      TMPDIR: tmpDir,
      MILLHAND_MODELS_DIR: ownModels,
      MILLHAND_INSTANCE_DRIVER: 'mock',
      MILLHAND_EXECUTOR_SLOTS: '1',
      MILLHAND_ENGINE_SLOTS: '2',
      MILLHAND_PLANS_FILE: dearPlans(tmpDir),
      MILLHAND_SECURITY_CONTACT: 'https://millhand.test/security',
    },
  })
  const actions = actionsOf(server)
  const control = createServer((request, response) => {
    const action = actions[request.url?.slice(1) as Action]
    action().then(
      text => response.end(text),
      error => response.writeHead(500).end(String(error?.stack ?? error)),
    )
  })
  await new Promise<void>(resolve => control.listen(0, '127.0.0.1', resolve))
  // A file that ends without leaving must not keep the process.
  control.unref()
  const { url, grpc, metrics, dataDir } = server
  const { port } = control.address() as AddressInfo
  const shared: Shared = { url, grpc, metrics, dataDir, tmpDir, control: `http://127.0.0.1:${port}` }
  return {
    shared: JSON.stringify(shared),
    close: async () => {
      control.close()
      control.closeAllConnections()
      assert.deepEqual(await server.stop(), { code: 0, signal: null })
    },
  }
}

type Action = 'life' | 'stop' | 'kill' | 'restart' | 'logs'

function actionsOf(server: Server): Record<Action, () => Promise<string>> {
  const life = async () =>
    JSON.stringify({ pid: server.pid, identity: server.identity, billing: server.billing } satisfies Life)
  return {
    life,
    stop: async () => JSON.stringify(await server.stop()),
    kill: async () => JSON.stringify(await server.kill()),
    restart: async () => {
      await server.restart()
      return await life()
    },
    logs: async () => server.logs().stdout + server.logs().stderr,
  }
}
