/** `pnpm start`: everything in one process. */
import { onnxRunner } from '@millhand/executor/onnx'
import { createRunner } from '@millhand/runner'
import { standardError } from '@millhand/telemetry'
import { announce } from './announce.ts'
import { local } from './local.ts'
import { localConfig } from './local-config.ts'
import { stopWithPackageManager } from './package-manager.ts'
import { processLog } from './process-log.ts'
import { startFault } from './start-fault.ts'
import { storeFault } from './store-fault.ts'

try {
  const config = localConfig(process.env)
  const log = processLog(config.logLevel, 'local')
  const runner = createRunner({ log, drainMs: config.drainMs })
  runner.handleSignals()
  stopWithPackageManager(runner)
  try {
    // A start that waits for ever must not keep the process from its end.
    const started = await Promise.race([
      local(config, runner, log, onnxRunner({ ...config.onnx, log })),
      runner.waitForExit(),
    ])
    if (typeof started !== 'number') announce(started)
    process.exit(await runner.waitForExit())
  } catch (error) {
    await runner.stop('start failed')
    throw storeFault(error, config.dataDir)
  }
} catch (error) {
  standardError().write(`${startFault(error)}\n`)
  process.exit(1)
}
