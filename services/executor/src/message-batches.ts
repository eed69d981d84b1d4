/** Items in portions that one message may carry. */

export interface BatchLimit<T> {
  /** How much the items of one may be together, in the measure of `sizeOf`. */
  readonly size: number
  readonly sizeOf: (item: T) => number
}

/** In order, each as long as it may be; an item larger than a portion is one of its own. */
export function inBatches<T>(items: readonly T[], { size, sizeOf }: BatchLimit<T>): T[][] {
  const all: T[][] = []
  let room = 0
  for (const item of items) {
    const taken = sizeOf(item)
    const last = all.at(-1)
    if (last && taken <= room) last.push(item)
    else {
      all.push([item])
      room = size
    }
    room -= taken
  }
  return all
}
