/** `pnpm serve <service>`: one service in this process, on MongoDB, Kafka and gRPC. `docs/many-machines.md`. */
import type { Process } from './process.ts'
import { all } from './processes/all.ts'
import { billing } from './processes/billing.ts'
import { composeSecrets } from './processes/compose-secrets.ts'
import { compute } from './processes/compute.ts'
import { credentials } from './processes/credentials.ts'
import { executor } from './processes/executor.ts'
import { gateway } from './processes/gateway.ts'
import { identity } from './processes/identity.ts'
import { webhook } from './processes/webhook.ts'
import { workforce } from './processes/workforce.ts'
import { runProcess } from './run-process.ts'
import { startFault } from './start-fault.ts'
import { FirstStartFailed } from './supervisor.ts'

const usage = `usage: pnpm serve gateway | identity | compute | workforce | executor | billing | webhook
       pnpm serve all --distributed     each of them as a process of its own
       pnpm serve credentials <service> [--days <n>]
                                        makes that service's variables from the operator's MILLHAND_SECRET_KEY
       pnpm serve compose-secrets [--days <n>]
                                        makes deploy/.env, all secrets of deploy/compose.yaml, from the same`

const processes: Readonly<Record<string, Process>> = {
  gateway,
  identity,
  compute,
  workforce,
  executor,
  billing,
  webhook,
}

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
  } else if (chosen === undefined) {
    process.stderr.write(`${usage}\n`)
    process.exitCode = 1
  } else {
    const options = {
      service: name,
      stopTimeoutMs: isAll ? 20_000 : 10_000,
      stopsWithStdin: words.includes('--stop-with-stdin'),
    }
    process.exit(await runProcess(chosen, options))
  }
} catch (error) {
  if (!(error instanceof FirstStartFailed)) process.stderr.write(`${startFault(error)}\n`)
  process.exit(1)
}
