import type { Warm } from './warm-process.ts'
import type { OwnWarm } from './warm-processes.ts'

/** Has something there until the function that this resolves with is called. Rejects with the signal's reason, too. */
export type Hold = (signal: AbortSignal) => Promise<() => void>

/** The same, with what `hold` has there while it runs. */
export function heldWarm(warm: Warm, hold: Hold): Warm {
  return {
    get isRunning() {
      return warm.isRunning
    },
    async run(begin, onEmit, unwanted = never) {
      const release = await hold(unwanted)
      try {
        return await warm.run(begin, onEmit, unwanted)
      } finally {
        release()
      }
    },
    kill: () => warm.kill(),
  }
}

/** The same, with what `hold` has there from the first run on, until it is released. */
export function heldOwnWarm(warm: OwnWarm, hold: Hold): OwnWarm {
  let held: Promise<() => void> | undefined
  return {
    isRunning: warm.isRunning,
    async run(begin, onEmit, unwanted = never) {
      held ??= hold(unwanted)
      await held
      return await warm.run(begin, onEmit, unwanted)
    },
    kill: () => warm.kill(),
    release() {
      warm.release()
      held?.then(
        release => release(),
        () => {},
      )
    },
  }
}

const never = new AbortController().signal
