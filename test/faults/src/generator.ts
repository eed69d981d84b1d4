/** An executor whose models generate what they are asked to, for as long as they are asked to: `mock-runner.ts`. */
import { mockRunner } from '@millhand/executor/mock'
import { executorWith } from '../../../deploy/src/processes/executor.ts'
import { runProcess } from '../../../deploy/src/run-process.ts'

process.exit(
  await runProcess(
    executorWith(() => mockRunner()),
    { service: 'executor', stopTimeoutMs: 10_000, stopsWithStdin: true },
  ),
)
