/** How long a run computes, by the monotonic clock of this process: what the run's own process says of that counts for nothing. */
export interface ComputeClock {
  /** Milliseconds since it was made, without those of `without`. */
  ms(): number
  /** Waits for an answer that this process gives, such as a language model's, which is paid for in another way. */
  without<T>(answer: Promise<T>): Promise<T>
}

export function computeClock(now: () => number = () => performance.now()): ComputeClock {
  const startedAt = now()
  let answeringMs = 0
  return {
    ms: () => now() - startedAt - answeringMs,
    async without(answer) {
      const askedAt = now()
      try {
        return await answer
      } finally {
        answeringMs += now() - askedAt
      }
    },
  }
}
