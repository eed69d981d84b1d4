/** The process of `pnpm serve <service>`, from its start to its end. */
import { endProcess } from '@millhand/process'
import { standardError, standardOutput } from '@millhand/telemetry'
import { writeCompiledCode } from './compile-cache.ts'
import { loadProcess } from './processes/load-process.ts'
import { runProcess } from './run-process.ts'
import { serviceNames } from './services.ts'
import { startFault } from './start-fault.ts'
import { FirstStartFailed } from './supervisor.ts'

const usage = `usage: pnpm serve ${serviceNames.join(' | ')}
       pnpm serve all --distributed     each of them as a process of its own
       pnpm serve instance-executor     an executor in an instance, which reaches compute alone
       pnpm serve credentials <service> [--days <n>]
                                        makes that service's variables from the operator's MILLHAND_SECRET_KEY
       pnpm serve compose-secrets [--days <n>]
                                        makes deploy/.env, all secrets of deploy/compose.yaml, from the same`

const words = process.argv.slice(2).filter(word => word !== '--')
const [name = '', option] = words
const isAll = name === 'all' && option === '--distributed'
const service = serviceNames.find(known => known === name)
const isInstanceExecutor = name === 'instance-executor'
const load = isAll
  ? async () => (await import('./processes/all.ts')).all
  : isInstanceExecutor
    ? async () => (await import('./processes/instance-executor.ts')).instanceExecutor
    : service && (() => loadProcess(service))

try {
  const print = await printer()
  if (print) {
    const { lines, note } = print(words.slice(1), process.env)
    standardOutput().write(lines)
    if (note !== undefined) standardError().write(`${note}\n`)
  } else if (load === undefined) {
    standardError().write(`${usage}\n`)
    process.exitCode = 1
  } else {
    const options = {
      service: name,
      stopTimeoutMs: isAll ? 20_000 : 10_000,
      stopsWithStdin: words.includes('--stop-with-stdin'),
    }
    const chosen = await load()
    writeCompiledCode()
    await endProcess(await runProcess(chosen, options))
  }
} catch (error) {
  if (!(error instanceof FirstStartFailed)) standardError().write(`${startFault(error)}\n`)
  await endProcess(1)
}

async function printer() {
  if (name === 'credentials') return (await import('./processes/credentials.ts')).credentials
  if (name === 'compose-secrets') return (await import('./processes/compose-secrets.ts')).composeSecrets
  return undefined
}
