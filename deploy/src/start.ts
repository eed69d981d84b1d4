/** `pnpm start`: everything in one process. */
import { onnxRunner } from '@millhand/executor/onnx'
import { ConfigurationError, createRunner } from '@millhand/runner'
import { StoreInUse } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { announce } from './announce.ts'
import { local } from './local.ts'
import { localConfig } from './local-config.ts'
import { stopWithPackageManager } from './package-manager.ts'

try {
  const config = localConfig(process.env)
  const log = createLog({ level: config.logLevel })
  for (const variable of config.notServed) log.warn('setting.not_served', { variable })
  const runner = createRunner({ log })
  runner.handleSignals()
  stopWithPackageManager(runner)
  try {
    announce(await local(config, runner, log, onnxRunner({ ...config.onnx, log })))
    process.exit(await runner.waitForExit())
  } catch (error) {
    await runner.stop('start failed')
    throw error
  }
} catch (error) {
  process.stderr.write(`${startFault(error)}\n`)
  process.exit(1)
}

/** One clear line for what an operator can mend; the whole error for what only we can. */
function startFault(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof StoreInUse) return error.message
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `MILLHAND_HTTP_ADDR: ${message}. Another program listens there; set another address.`
  if (code !== undefined) return `Millhand can't start: ${message}`
  return `Millhand can't start: ${stack ?? message}`
}
