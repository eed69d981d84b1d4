import type { Warm } from './warm-processes.ts'

/** The same, with what `hold` has there while it runs. */
export function heldWarm<W extends Warm>(warm: W, hold: () => Promise<() => void>): W {
  return {
    ...warm,
    get isRunning() {
      return warm.isRunning
    },
    async run(begin, onEmit) {
      const release = await hold()
      try {
        return await warm.run(begin, onEmit)
      } finally {
        release()
      }
    },
    kill: () => warm.kill(),
  }
}
