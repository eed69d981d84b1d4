import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { freePort } from '@millhand/test-servers'
import { type Answer, type RequestOptions, send } from './http.ts'
import { newKey } from './keys.ts'

export interface ServerOptions {
  /** Further variables; an undefined one is not set at all. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** A data folder to go on with; a fresh one where it is not given. */
  readonly dataDir?: string
  /** What starts it, in the place of `pnpm start` and of what `MILLHAND_TEST_START` names. */
  readonly command?: readonly string[]
  /** How many it may have open at once; as many as we may where it is not given. */
  readonly fileDescriptors?: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running product, as who calls it knows it. */
export interface Served {
  readonly url: string
  /** Where gRPC and the metrics are served, by deployments that do. */
  readonly grpc: string | undefined
  /** Where the operator's command line finds identity. */
  readonly identity: string
  /** Where it finds billing, if that is elsewhere. */
  readonly billing: string | undefined
  readonly metrics: string | undefined
  readonly dataDir: string
  readonly key: string
  readonly testKey: string
  /** One REST call with the live key, unless `headers.authorization` says otherwise (`''`: none). */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

/** The product as a user runs it: a process of its own, known by its addresses, its answers and its logs alone. */
export interface Server extends Served, AsyncDisposable {
  readonly pid: number
  /** SIGTERM; resolves when the process has gone. */
  stop(): Promise<Exit>
  /** SIGKILL; resolves when the process has gone. */
  kill(): Promise<void>
  /** Starts again on the same data folder and the same addresses, after `stop` or `kill`. */
  restart(): Promise<void>
  /** All that it has written since its first start: standard output, standard error. */
  logs(): { readonly stdout: string; readonly stderr: string }
}

/** The process ended before it was ready. */
export class StartFailure extends Error {
  readonly exit: Exit
  readonly stdout: string
  readonly stderr: string
  constructor(exit: Exit, stdout: string, stderr: string) {
    super(`the server ended before it was ready (code ${exit.code}, signal ${exit.signal})\n${stderr}`)
    this.name = 'StartFailure'
    this.exit = exit
    this.stdout = stdout
    this.stderr = stderr
  }
}

/** Resolves once it is ready. Rejects with StartFailure when it ends before that. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const dataDir = options.dataDir ?? temporaryFolder('millhand-e2e-')
  const key = options.env?.MILLHAND_BOOTSTRAP_KEY ?? newKey('live')
  const testKey = options.env?.MILLHAND_BOOTSTRAP_TEST_KEY ?? newKey('test')
  const environment: Record<string, string | undefined> = {
    // A server that is started again listens where it did: the kernel gives away port 0's meanwhile.
    MILLHAND_HTTP_ADDR: `127.0.0.1:${await freePort()}`,
    MILLHAND_GRPC_ADDR: `127.0.0.1:${await freePort()}`,
    MILLHAND_METRICS_ADDR: `127.0.0.1:${await freePort()}`,
    MILLHAND_DATA_DIR: dataDir,
    // Where the receivers of tests are.
    MILLHAND_WEBHOOK_ALLOW: '127.0.0.0/8',
    MILLHAND_BOOTSTRAP_KEY: key,
    MILLHAND_BOOTSTRAP_TEST_KEY: testKey,
    ...options.env,
  }
  let life = await begin(environment, options)
  const past = { stdout: '', stderr: '' }
  const { http: url, grpc, metrics, identity = grpc } = life.ready
  if (identity === undefined) throw new Error('the server did not say where identity is')

  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    life.child.kill(signal)
    return await life.exit
  }
  return {
    url,
    grpc,
    /** It may be another after a restart. */
    get identity() {
      return life.ready.identity ?? identity
    },
    get billing() {
      return life.ready.billing
    },
    metrics,
    get pid() {
      return life.child.pid as number
    },
    dataDir,
    key,
    testKey,
    request: requests(url, key),
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL')
    },
    restart: async () => {
      past.stdout += life.output.stdout
      past.stderr += life.output.stderr
      const addresses = {
        MILLHAND_HTTP_ADDR: address(url),
        ...(grpc && { MILLHAND_GRPC_ADDR: address(grpc) }),
        ...(metrics && { MILLHAND_METRICS_ADDR: address(metrics) }),
      }
      life = await begin({ ...environment, ...addresses }, options)
    },
    logs: () => ({ stdout: past.stdout + life.output.stdout, stderr: past.stderr + life.output.stderr }),
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL')
    },
  }
}

/** REST calls with a key, unless `headers.authorization` says otherwise (`''`: none). */
export function requests(url: string, key: string): Served['request'] {
  return (method, path, request = {}) => {
    const headers: Record<string, string> = { authorization: `Bearer ${key}`, ...request.headers }
    if (headers.authorization === '') delete headers.authorization
    return send(method, url + path, { ...request, headers })
  }
}

/** A new folder, removed when the test process ends. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const repository = resolve(import.meta.dirname, '../../..')

interface Ready {
  readonly http: string
  readonly grpc?: string
  readonly identity?: string
  readonly billing?: string
  readonly metrics?: string
}

/** As the script `start` of package.json has it. */
const compiled = join(repository, 'node_modules/.cache/millhand')

/** A start that takes longer hangs: it is killed, and fails as one that ended. On a full machine a start takes over a minute. */
const START_MS = 600_000

interface Life {
  readonly child: ChildProcess
  readonly ready: Ready
  readonly exit: Promise<Exit>
  readonly output: { stdout: string; stderr: string }
}

async function begin(
  environment: Readonly<Record<string, string | undefined>>,
  { command: start = startCommand(), fileDescriptors }: ServerOptions,
): Promise<Life> {
  const limited = ['sh', '-c', 'ulimit -n "$0"; exec "$@"', String(fileDescriptors), ...start]
  const [command, ...words] = tiedToUs(fileDescriptors === undefined ? start : limited)
  const child = spawn(command as string, words, {
    cwd: repository,
    env: { NODE_COMPILE_CACHE: compiled, ...inherited(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const forget = () => child.kill('SIGKILL')
  process.once('exit', forget)
  const exit = once(child, 'close').then(([code, signal]): Exit => {
    process.removeListener('exit', forget)
    return { code, signal }
  })
  const output = { stdout: '', stderr: '' }
  child.stderr.setEncoding('utf8').on('data', text => {
    output.stderr += text
  })
  const late = setTimeout(forget, START_MS)
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', text => {
      output.stdout += text
      const line = /^\{"ready":true.*\}$/m.exec(output.stdout)
      if (line) resolve(JSON.parse(line[0]))
    })
    exit.then(ended => reject(new StartFailure(ended, output.stdout, output.stderr)), reject)
  }).finally(() => clearTimeout(late))
  return { child, ready, exit, output }
}

/** `MILLHAND_TEST_START` names another shape of the product to test: words, separated by spaces. */
function startCommand(): readonly string[] {
  const other = process.env.MILLHAND_TEST_START
  if (other) return other.split(' ')
  return [process.execPath, '--disable-warning=ExperimentalWarning', '--max-semi-space-size=32', 'deploy/src/start.ts']
}

/** A killed test process leaves nothing behind: the kernel ends the child with it, where util-linux is there. */
function tiedToUs(command: readonly string[]): readonly string[] {
  const setpriv = (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, 'setpriv'))
    .find(file => existsSync(file))
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', ...command]
}

/** Our own environment without what would configure the server or tell a child that a test runner is its parent. */
export function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('MILLHAND_') && name !== 'NODE_TEST_CONTEXT'),
  )
}

function address(url: string): string {
  return url.replace(/^.*:\/\//, '')
}
