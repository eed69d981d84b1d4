/** For the process that is the child: what it hears and says, what ends it. */
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { deserialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { encodeMessage, MAX_HEAD_BYTES } from './child-message.ts'
import { frame, frameReader } from './frames.ts'
import { OUT_OF_MEMORY, tellsOfMemory } from './out-of-memory.ts'
import { PIPE_FD } from './pipe.ts'
import type { WatchdogData } from './watchdog.ts'

/** Ends this process when its parent is gone, or when it has more memory than it may. To be called once, first. */
export function startWatchdog(): void {
  const [parent, memoryLimitBytes] = process.argv.slice(2).map(Number) as [number, number]
  const watch: WatchdogData = { parent, memoryLimitBytes }
  const watchdog = new Worker(new URL('./watchdog.ts', import.meta.url), {
    workerData: watch,
    execArgv: [], // It needs nothing that is loaded before, and has little memory.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2, codeRangeSizeMb: 4 },
  })
  watchdog.unref()
}

/** How a child says something: a head, which becomes JSON of at most `MAX_HEAD_BYTES`, and what goes beside it. */
export type SendMessage<From> = (head: From, parts?: readonly (string | Uint8Array)[]) => void

/** Hears what the parent says, and ends when that is gone. To be called once; nothing is heard before the caller ends. */
export function openChannel<To, From extends object>(hear: (message: To) => void): SendMessage<From> {
  const channel = new Socket({ fd: PIPE_FD })
  const take = frameReader(
    () => Number.POSITIVE_INFINITY,
    payload => hear(deserialize(payload)),
  )
  channel.on('data', take)
  channel.on('close', () => process.exit(0))
  channel.on('error', () => process.exit(0))
  return (head, parts = []) => {
    channel.cork()
    for (const part of frame(encodeMessage(head, parts))) channel.write(part)
    channel.uncork()
  }
}

export { allowFunctionConstructor } from './function-constructor.ts'
export { lockDown, lockLoaded } from './lockdown.ts'

/** Whether the parent would take such a head. */
export const fitsHead = (head: object): boolean => Buffer.byteLength(JSON.stringify(head)) <= MAX_HEAD_BYTES

/**
 * A process that was refused memory is not used again: one way out, whichever library noticed. For errors of libraries: one
 * that may quote the caller is not to come here.
 */
export function endIfOutOfMemory(error: unknown): void {
  if (!tellsOfMemory((error as Error).message)) return
  writeSync(process.stderr.fd, OUT_OF_MEMORY)
  process.kill(process.pid, 'SIGKILL')
}
