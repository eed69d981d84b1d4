/** The process of a local language model. */
import { fileURLToPath } from 'node:url'
import { MAX_HEAD_BYTES } from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import { type AskedProcess, startAsked } from '../asked-process.ts'
import { type Heard, type Load, MOST_ANSWER_BYTES, type Question, readFromChild } from './protocol.ts'

export interface GgufProcessOptions {
  readonly file: string
  /** Resident memory that it may have: the file is mapped, and counts. */
  readonly memoryLimitBytes: number
  readonly threads: number
  readonly log: Log
  readonly loadTimeoutMs?: number
}

export type GgufProcess = AskedProcess<Question, Heard>

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
/** node-llama-cpp tries its native code in a process of its own first. */
const CODE = {
  'services/workforce/employees': ['node-llama-cpp'],
  'libs/child-process': [],
  'libs/telemetry': [],
  'libs/model': [],
}
/** It looks for the C library that its native code is to fit. */
const SYSTEM = ['/usr', '/lib', '/lib64', '/bin', '/sbin', '/etc/os-release']
/** A large file comes from a slow disk. */
const LOAD_TIMEOUT_MS = 300_000
/** Until it has heard that it is to stop: 128 tokens of a question, or one of an answer. */
const STOP_MS = 10_000

/** Resolves once the model is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be. */
export async function startGguf(options: GgufProcessOptions): Promise<GgufProcess> {
  const { file, threads, memoryLimitBytes, log, loadTimeoutMs = LOAD_TIMEOUT_MS } = options
  return await startAsked<Load, Question, Heard>({
    name: 'language_model',
    script: CHILD,
    lock: { code: CODE, readable: [file, ...SYSTEM], native: true, startsProcesses: true },
    read: readFromChild,
    messageBytes: MAX_HEAD_BYTES + MOST_ANSWER_BYTES,
    memoryLimitBytes,
    log,
    load: { file, threads },
    loadTimeoutMs,
    stopMs: STOP_MS,
  })
}
