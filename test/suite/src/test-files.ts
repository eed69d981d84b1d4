/** The test files of the project, and which of them can share a process: a process for each costs more than most of them take. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

/** All of them, as paths below the root. */
export const testFiles = (): string[] =>
  globSync('{gateway,services,libs,deploy,test}/**/*.test.ts', {
    cwd: root,
    exclude: name => name === 'node_modules',
  }).sort()

/** Storms of faults, minutes each: each commit has one of them, by its hash; `--all` has all. */
export const storms: readonly string[] = [
  'test/faults/src/distributed.test.ts',
  'test/faults/src/workforce/storm.test.ts',
  'test/faults/src/webhooks/storm.test.ts',
  'test/faults/src/rolling.test.ts',
  'test/faults/src/hostile/hostile.test.ts',
  'test/faults/src/crash.test.ts',
  'test/faults/src/idempotency.test.ts',
  'test/faults/src/streams.test.ts',
  'test/faults/src/batch-tasks.test.ts',
  'test/faults/src/instances/storm.test.ts',
]

/** What no run but `--all` has: it takes too long. docs/testing.md */
export const onlyInAll: readonly string[] = [
  'services/executor/src/onnx/training/adapters-and-head.test.ts',
  'services/instance/src/drivers/kubernetes/kubernetes-driver.test.ts',
  'services/instance/src/drivers/kubernetes/kubernetes-faults.test.ts',
  'services/instance/src/drivers/kubernetes/kubernetes-storm.test.ts',
  'test/faults/src/disk/power-loss.test.ts',
]

/** How a file is run. */
export type Home =
  /** In a process of its own. */
  | 'own'
  /** With others, one after the other. */
  | 'shared'
  /** The same, with one database server and one broker for all. */
  | 'servers'
  /** The same, calling one server of ours, each with an account of its own. */
  | 'visitor'

export function homeOf(file: string): Home {
  if ([...storms, ...onlyInAll].includes(file)) return 'own'
  const text = readFileSync(join(root, file), 'utf8')
  if (CHANGES_PROCESS.test(text) || MEASURES_MEMORY.test(text)) return 'own'
  if (/\bvisitServer\(/.test(text)) return 'visitor'
  if (STARTS_PROCESSES.test(text)) return 'own'
  if (/\bstart(Mongo|Kafka)\(\)/.test(text) && !ENDS_SERVERS.test(text)) return 'servers'
  return STARTS_SOMETHING.test(text) ? 'own' : 'shared'
}

/** What belongs to the whole process is changed. */
const CHANGES_PROCESS =
  /\bprocess\.(env\.\w+ ?=[^=]|chdir|exit|on\(|umask)|Object\.assign\(process\.env|\bmock\.module|\bglobalThis\.\w+ = /

/** What others left in the process would hide what is measured, and collecting it takes minutes. */
const MEASURES_MEMORY = /\b(collectGarbage|heldMemory|checkMemory|memoryUsage|releaseMemory)\b/

const STARTS_PROCESSES =
  /node:child_process|node:cluster|\b(startChild|startServer|startSystem|chooseSandbox|KindRunner|OnnxRunner)\b/

const ENDS_SERVERS = /\.(kill|pause|stop|start)\(\)|\bdataDir\b|\bstartWiredTiger\b/

const STARTS_SOMETHING = /@millhand\/test-(servers|e2e|faults|distributed)|node:worker_threads/
