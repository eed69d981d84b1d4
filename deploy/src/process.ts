/** What `pnpm serve` starts. */
import type { Address, Configuration, Health, Runner, Schema, Values } from '@millhand/process'
import type { Level, Log } from '@millhand/telemetry'

export interface Process {
  /** What it reads of its environment. */
  readonly variables: Configuration<Schema>
  /** Reads its configuration. @throws ConfigurationError, which names every variable that is wrong */
  prepare(env: NodeJS.ProcessEnv): Prepared
}

interface Prepared {
  readonly logLevel: Level
  /** How long it serves on after it is told to stop. */
  readonly drainMs: number
  /** Where it serves its metrics; undefined where it does not. */
  readonly metrics: Address | undefined
  /** Starts it, and does not wait for what it needs of others. What it starts, the runner stops. */
  start(runner: Runner, log: Log): Promise<Started>
}

export interface Started {
  /** Where it serves, for the ready line: `http`, `grpc`. */
  readonly addresses: Readonly<Record<string, string>>
  readonly health: Health
}

interface ProcessConfig {
  readonly logLevel: Level
  readonly drainMs?: number
  readonly metrics?: Address | undefined
}

export function defineProcess<S extends Schema, C extends ProcessConfig>(
  variables: Configuration<S>,
  configOf: (set: Values<S>) => C,
  start: (config: C, runner: Runner, log: Log) => Promise<Started>,
): Process {
  return {
    variables,
    prepare(env) {
      const config = configOf(variables(env))
      const { logLevel, drainMs = 0, metrics } = config
      return { logLevel, drainMs, metrics, start: (runner, log) => start(config, runner, log) }
    },
  }
}
