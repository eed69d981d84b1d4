export type Ready = () => Promise<void> | undefined

/** What is to be made once: the work under way, if it is not made yet. After a failure the next call tries again. */
export function onceMade(make: () => Promise<void>): Ready {
  let isMade = false
  let making: Promise<void> | undefined
  const work = async () => {
    try {
      await make()
      isMade = true
    } finally {
      making = undefined
    }
  }
  return () => {
    if (isMade) return undefined
    making ??= work()
    return making
  }
}
