/** What `pnpm serve` starts. */
import type { Health, Runner } from '@millhand/runner'
import type { Level, Log } from '@millhand/telemetry'

/** Reads a process's configuration. Throws `ConfigurationError`, which names every variable that is wrong. */
export type Process = (env: NodeJS.ProcessEnv) => Prepared

interface Prepared {
  readonly logLevel: Level
  /** How long it serves on after it is told to stop. */
  readonly drainMs: number
  /** Starts it, and does not wait for what it needs of others. What it starts, the runner stops. */
  start(runner: Runner, log: Log): Promise<Started>
}

export interface Started {
  /** Where it serves, for the ready line: `http`, `grpc`. */
  readonly addresses: Readonly<Record<string, string>>
  readonly health: Health
}

export function defineProcess<C extends { readonly logLevel: Level; readonly drainMs?: number }>(
  read: (env: NodeJS.ProcessEnv) => C,
  start: (config: C, runner: Runner, log: Log) => Promise<Started>,
): Process {
  return env => {
    const config = read(env)
    const { logLevel, drainMs = 0 } = config
    return { logLevel, drainMs, start: (runner, log) => start(config, runner, log) }
  }
}
