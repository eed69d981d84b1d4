/** One loop waits here for a condition that others bring about. */
export class Waiter {
  #wake = () => {}

  /** Looks at the condition that is waited for. */
  wake(): void {
    this.#wake()
  }

  /** Resolves when a call of `wake` finds it done, or when the signal ends. */
  async until(done: () => boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    signal.addEventListener('abort', wake)
    if (signal.aborted) wake()
    this.#wake = () => {
      if (done()) wake()
    }
    await promise
    signal.removeEventListener('abort', wake)
  }
}
