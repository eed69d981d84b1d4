/** `pnpm serve <service>`: one service in this process, on MongoDB, Kafka and gRPC. `docs/many-machines.md`. */
import { systemClock as clock, createRunner } from '@millhand/runner'
import { createLog } from '@millhand/telemetry'
import { stopWithPackageManager } from './package-manager.ts'
import type { Process, Started } from './process.ts'
import { all } from './processes/all.ts'
import { composeSecrets } from './processes/compose-secrets.ts'
import { compute } from './processes/compute.ts'
import { credentials } from './processes/credentials.ts'
import { executor } from './processes/executor.ts'
import { firstAccount } from './processes/first-account.ts'
import { gateway } from './processes/gateway.ts'
import { identity } from './processes/identity.ts'
import { startFault } from './start-fault.ts'
import { FirstStartFailed } from './supervisor.ts'

const usage = `usage: pnpm serve gateway | identity | compute | executor
       pnpm serve all --distributed     each of them as a process of its own
       pnpm serve credentials <service> [--days <n>]
                                        makes that service's variables from the operator's MILLHAND_SECRET_KEY
       pnpm serve compose-secrets [--days <n>]
                                        makes deploy/.env, all secrets of deploy/compose.yaml, from the same
       pnpm serve first-account         makes the first account, or further keys of it, and shows them once`

const processes: Readonly<Record<string, Process>> = { gateway, identity, compute, executor }

const words = process.argv.slice(2).filter(word => word !== '--')
const [name = '', option] = words
const isAll = name === 'all' && option === '--distributed'
const chosen = isAll ? all : processes[name]

try {
  const print = { credentials, 'compose-secrets': composeSecrets }[name]
  if (print) {
    const { lines, note } = print(words.slice(1), process.env)
    process.stdout.write(lines)
    if (note !== undefined) process.stderr.write(`${note}\n`)
  } else if (name === 'first-account') {
    process.stdout.write(`${JSON.stringify(await firstAccount(process.env))}\n`)
  } else if (chosen === undefined) {
    process.stderr.write(`${usage}\n`)
    process.exitCode = 1
  } else process.exit(await serve(chosen))
} catch (error) {
  if (!(error instanceof FirstStartFailed)) process.stderr.write(`${startFault(error)}\n`)
  process.exit(1)
}

async function serve(chosen: Process): Promise<number> {
  const prepared = chosen(process.env)
  const log = createLog({ level: prepared.logLevel })
  const runner = createRunner({ log, stopTimeoutMs: isAll ? 20_000 : 10_000 })
  runner.handleSignals()
  stopWithPackageManager(runner)
  if (words.includes('--stop-with-stdin')) {
    process.stdin.on('end', () => process.exit(1)).on('error', () => process.exit(1))
    process.stdin.resume()
  }
  try {
    const started = await prepared.start(runner, log)
    runner.run('ready line', signal => announce(started, signal))
    return await runner.waitForExit()
  } catch (error) {
    await runner.stop('start failed')
    throw error
  }
}

/** Says that it serves, once it does: one line of JSON on standard output. */
async function announce({ addresses, health }: Started, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !health.ready().ready) await clock.sleep(50, signal).catch(() => {})
  if (!signal.aborted) process.stdout.write(`${JSON.stringify({ ready: true, service: name, ...addresses })}\n`)
}
