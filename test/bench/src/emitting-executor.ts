/** An executor whose models only stream: `emitting-runner.ts`. */
import { executorWith } from '../../../deploy/src/processes/executor.ts'
import { runProcess } from '../../../deploy/src/run-process.ts'
import { emittingRunner } from './emitting-runner.ts'

process.exit(
  await runProcess(
    executorWith(() => emittingRunner()),
    { service: 'executor', stopTimeoutMs: 10_000, stopsWithStdin: true },
  ),
)
