/** What `pnpm serve` starts. */
import type { Health, Runner } from '@millhand/runner'
import type { Level, Log } from '@millhand/telemetry'

export interface Process<C extends { readonly logLevel: Level }> {
  /** Throws `ConfigurationError`, which names every variable that is wrong. */
  config(env: NodeJS.ProcessEnv): C
  /** Starts it, and does not wait for what it needs of others. What it starts, the runner stops. */
  start(config: C, runner: Runner, log: Log): Promise<Started>
}

export interface Started {
  /** Where it serves, for the ready line: `http`, `grpc`. */
  readonly addresses: Readonly<Record<string, string>>
  readonly health: Health
}
