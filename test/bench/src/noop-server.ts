/** The product as `pnpm start` has it, except that its models run nothing, and stream where a task asks for it. */
import { createRunner } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import { local } from '../../../deploy/src/local.ts'
import { localConfig } from '../../../deploy/src/local-config.ts'
import { printReadyLine } from '../../../deploy/src/ready-line.ts'
import { emittingRunner } from './emitting-runner.ts'

const config = localConfig(process.env)
const log = createLog({ level: config.logLevel })
const runner = createRunner({ log })
runner.handleSignals()
printReadyLine(await local(config, runner, log, emittingRunner()))
process.exit(await runner.waitForExit())
