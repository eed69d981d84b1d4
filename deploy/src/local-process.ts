/** The process of `pnpm start`, from its start to its end. */
import { onnxRunner } from '@millhand/executor/onnx'
import { createRunner, endProcess } from '@millhand/process'
import { standardError, startTelemetry } from '@millhand/telemetry'
import { writeCompiledCode } from './compile-cache.ts'
import { local } from './local.ts'
import { localConfig } from './local-config.ts'
import { stopWithPackageManager } from './package-manager.ts'
import { processLog } from './process-log.ts'
import { printReadyLine } from './ready-line.ts'
import { writeResolutions } from './resolution-cache.ts'
import { startFault } from './start-fault.ts'
import { storeFault } from './store-fault.ts'
import { waitForStore, waitReasonOf } from './store-wait.ts'

writeCompiledCode()
writeResolutions()
try {
  const config = localConfig(process.env)
  const log = processLog(config.logLevel, 'local')
  const newRunner = () => {
    const runner = createRunner({ log, drainMs: config.drainMs })
    runner.handleSignals()
    stopWithPackageManager(runner)
    return runner
  }
  for (;;) {
    const runner = newRunner()
    try {
      runner.own(await startTelemetry(process.env, 'millhand', log), 'telemetry')
      const starting = local(config, runner, log, onnxRunner({ ...config.onnx, log }))
      // A start that waits for ever must not keep the process from its end.
      const started = await Promise.race([starting, runner.waitForExit()])
      if (typeof started !== 'number') printReadyLine(started)
      await endProcess(await runner.waitForExit())
    } catch (error) {
      // What a start meets after a signal to stop is that its resources are closed.
      if (runner.signal.aborted) await endProcess(await runner.waitForExit())
      await runner.stop('start failed')
      const wait = waitReasonOf(error)
      if (wait === undefined) throw storeFault(error, config.dataDir)
      log.error('start.waits', { reason: wait.reason, error })
      const exitCode = await waitForStore(wait, { config, runner: newRunner(), log })
      if (exitCode !== undefined) await endProcess(exitCode)
    }
  }
} catch (error) {
  standardError().write(`${startFault(error)}\n`)
  await endProcess(1)
}
