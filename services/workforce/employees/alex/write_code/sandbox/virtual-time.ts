/** Timers of a clock that nobody waits for. The text is evaluated in the sandbox: it may name nothing from outside. */

interface VirtualTime {
  /** Those of JavaScript, as globals. */
  readonly timers: object
  /** Waits for a body, and for the timers that it waits for. */
  settled(body: () => unknown): Promise<void>
}

export function virtualTime(): VirtualTime {
  const due: { at: number; order: number; run: () => unknown }[] = []
  let now = 0
  let order = 0
  return {
    timers: {
      // The next timer is always due.
      setTimeout: (run: (...given: unknown[]) => unknown, ms = 0, ...given: unknown[]) =>
        due.push({ at: now + Number(ms), order: order++, run: () => run(...given) }) && order,
      clearTimeout: (id: number) => {
        const at = due.findIndex(timer => timer.order + 1 === id)
        if (at >= 0) due.splice(at, 1)
      },
      queueMicrotask: (run: () => unknown) => void Promise.resolve().then(run),
    },
    async settled(body) {
      let isOver = false
      const ended = (async () => body())().finally(() => {
        isOver = true
      })
      ended.catch(() => {})
      for (let turn = 0; !isOver; turn++) {
        for (let job = 0; job < 20 && !isOver; job++) await undefined
        due.sort((a, b) => a.at - b.at || a.order - b.order)
        const timer = isOver ? undefined : due.shift()
        if (timer) {
          now = Math.max(now, timer.at)
          timer.run()
        } else if (!isOver && turn > 1_000) throw new Error('it waits for what never comes')
      }
      await ended
    },
  }
}
