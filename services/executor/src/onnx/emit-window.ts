/** The child's side of back-pressure: so many emissions may be on their way, then whoever emits waits. */
import { bounded, type Emission } from '@millhand/child-process'
import type { FromChild } from './protocol.ts'

/** With the largest pieces, 1 MiB. A parent that gets more without having taken any ends the child. */
export const MOST_ON_THEIR_WAY = 16

export interface EmitWindow {
  /** Sends what the item emits, cut to its bounds. Resolves when it is sent; rejects with `PieceTooLarge`. */
  emit(item: number, emission: Emission): Promise<void>
  /** The parent has taken one. */
  taken(): void
}

export function emitWindow(send: (message: FromChild) => void): EmitWindow {
  let onTheirWay = 0
  const waiting: (() => void)[] = []
  return {
    async emit(item, emission) {
      const piece = bounded(emission)
      if (onTheirWay < MOST_ON_THEIR_WAY) onTheirWay++
      else await new Promise<void>(resolve => waiting.push(resolve))
      send({ kind: 'emission', item, emission: piece })
    },
    taken() {
      const next = waiting.shift()
      if (next) next()
      else onTheirWay--
    },
  }
}
