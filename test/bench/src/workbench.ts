/** What every section measures with: the load generator, servers under test, folders on one disk, how long and how often. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repository, type Server, startServer } from '@millhand/test-e2e/server'
import { startChild } from './child.ts'
import { httpRequest, type Request } from './http-request.ts'
import type { Load, LoadResult } from './load.ts'
import { nodeCommand } from './node-command.ts'
import { descendants, processorTime } from './process-table.ts'

export interface Workbench extends AsyncDisposable {
  /** Of one measurement. */
  readonly seconds: number
  /** How often each figure is measured, alternating with its limits. */
  readonly rounds: number
  /** A new empty folder, on the disk that the checkout is on; gone when the workbench is. */
  folder(): string
  /** The product, in a process or more of its own. */
  server(options?: ServerShape): Promise<Server>
  /** Puts a load on a process. Rejects when an answer was not what the load expects. */
  measure(target: Target, plan: LoadPlan): Promise<Measured>
}

interface ServerShape {
  readonly env?: Readonly<Record<string, string>>
  readonly dataDir?: string
  /** `noop`: with a runner that does nothing, or streams where a task asks for it; `distributed`: as processes on the broker and the database of `env`. */
  readonly shape?: 'noop' | 'distributed'
}

/** The environment of a server that runs nothing of what it accepts. */
export const acceptOnly = { MILLHAND_EXECUTOR_SLOTS: '0' }

export interface Target {
  readonly pid: number
  readonly port: number
  readonly key?: string
}

export interface LoadPlan {
  readonly connections: number
  readonly requests: readonly Omit<Request, 'key'>[]
  readonly expect: Load['expect']
  readonly until: Load['until']
  readonly pace?: number
}

export interface Measured extends LoadResult {
  /** Processor time of the target for each answer, in microseconds, all its threads. */
  readonly cpu: number
  /** The same of the processes that it started. */
  readonly childCpu: number
}

export function openWorkbench(options: { readonly seconds: number; readonly rounds: number }): Workbench {
  const parent = join(repository, 'tmp')
  mkdirSync(parent, { recursive: true })
  const root = mkdtempSync(join(parent, 'bench-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  process.once('exit', remove)
  const generator = startChild<Load, LoadResult>(new URL('load-child.ts', import.meta.url))
  const folder = () => mkdtempSync(join(root, 'data-'))

  return {
    ...options,
    folder,
    server: shape => start({ dataDir: folder(), ...shape }),
    measure: (target, plan) => measure(generator.ask, target, plan),
    async [Symbol.asyncDispose]() {
      await generator[Symbol.asyncDispose]()
      process.removeListener('exit', remove)
      remove()
    },
  }
}

/** The address of a server under test, as a target of load. */
export const targetOf = (server: Server): Target => ({
  pid: server.pid,
  port: Number(new URL(server.url).port),
  key: server.key,
})

const shapes = {
  noop: fileURLToPath(new URL('noop-server.ts', import.meta.url)),
  distributed: fileURLToPath(import.meta.resolve('@millhand/test-distributed/start-distributed')),
}

function start({ shape, ...options }: ServerShape): Promise<Server> {
  return startServer({ ...options, ...(shape && { command: nodeCommand(shapes[shape]) }) })
}

async function measure(
  generate: (load: Load) => Promise<LoadResult>,
  { pid, port, key }: Target,
  { requests, ...plan }: LoadPlan,
): Promise<Measured> {
  const texts = requests.map(request => httpRequest({ ...request, ...(key !== undefined && { key }) }))
  const children = descendants(pid)
  const childTime = () => children.reduce((sum, child) => sum + processorTime(child), 0)
  const before = processorTime(pid)
  const childBefore = childTime()
  const result = await generate({ ...plan, host: '127.0.0.1', port, requests: texts })
  if (result.failed > 0)
    throw new Error(`${result.failed} of ${result.failed + result.good} failed: ${result.firstFailure}`)
  const answers = result.good
  return { ...result, cpu: (processorTime(pid) - before) / answers, childCpu: (childTime() - childBefore) / answers }
}
