/** For the process that is the child: what ends it. */
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { OUT_OF_MEMORY, tellsOfMemory } from './memory.ts'
import type { WatchdogData } from './watchdog.ts'

/** Ends this process when its parent is gone, or when it has more memory than it may. To be called once, first. */
export function startWatchdog(): void {
  const [parent, memoryLimitBytes] = process.argv.slice(2).map(Number) as [number, number]
  const watch: WatchdogData = { parent, memoryLimitBytes }
  const watchdog = new Worker(new URL('./watchdog.ts', import.meta.url), {
    workerData: watch,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2, codeRangeSizeMb: 4 },
  })
  watchdog.unref()
  process.on('disconnect', () => process.exit(0))
}

/** A process that was refused memory is not used again: one way out, whichever library noticed. */
export function endIfOutOfMemory(error: unknown): void {
  if (!tellsOfMemory((error as Error).message)) return
  writeSync(process.stderr.fd, OUT_OF_MEMORY)
  process.kill(process.pid, 'SIGKILL')
}
