/** Processes of ours, started, watched and started again when they end by themselves. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { backoff, type Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'

export interface ProcessSpec {
  readonly name: string
  /** The words after `node`. */
  readonly words: readonly string[]
  /** Read at each start. */
  readonly env: Record<string, string>
}

export interface Supervised {
  /** Its first ready line. Rejects with `FirstStartFailed` when it ends before that. */
  readonly ready: Promise<Readonly<Record<string, unknown>>>
  /** Stops it: SIGTERM, and SIGKILL after `graceMs`. */
  close(): Promise<void>
}

/** It never became ready, and has said why on standard error. */
export class FirstStartFailed extends Error {
  constructor(name: string) {
    super(`${name} ended before it was ready`)
    this.name = 'FirstStartFailed'
  }
}

const pauseMs = backoff({ baseMs: 1_000, maxMs: 10_000, random: () => 1 })

export function supervise(spec: ProcessSpec, options: { clock: Clock; log: Log; graceMs: number }): Supervised {
  const { clock, log, graceMs } = options
  const ready = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  const stopping = new AbortController()
  let wasReady = false
  let child: ChildProcess | undefined
  let running: Promise<void> = Promise.resolve()

  const runOnce = async () => {
    // Its standard input is a pipe that only we hold: it ends when we do, however that comes. In a group of its own it
    // does not hear a terminal's Ctrl-C, which would stop all at once: we stop them in order.
    const started = spawn(process.execPath, [...spec.words, '--stop-with-stdin'], {
      env: { ...process.env, ...spec.env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    child = started
    createInterface({ input: started.stdout }).on('line', line => {
      if (!line.startsWith('{"ready":true')) return
      wasReady = true
      ready.resolve(JSON.parse(line))
    })
    const exit = await new Promise<string>(resolve => {
      started.once('error', error => resolve(error.message))
      started.once('close', (code, signal) => resolve(signal ?? `code ${code}`))
    })
    if (!wasReady) ready.reject(new FirstStartFailed(spec.name))
    return exit
  }

  const run = async () => {
    for (let failures = 1; !stopping.signal.aborted; failures++) {
      const startedAt = clock.monotonic()
      const exit = await runOnce()
      if (stopping.signal.aborted || !wasReady) return
      if (clock.monotonic() - startedAt > 60_000) failures = 1
      log.warn('process.ended', { process: spec.name, exit })
      await clock.sleep(pauseMs(failures), stopping.signal).catch(() => {})
    }
  }
  running = run()

  return {
    ready: ready.promise,
    async close() {
      stopping.abort()
      child?.kill('SIGTERM')
      const timer = clock.timer(graceMs, () => child?.kill('SIGKILL'))
      await running
      timer.cancel()
    },
  }
}
