/** What somebody says of a window. */
import type { Window } from './windows.ts'

export interface Said {
  readonly points: readonly number[]
  /** The 95 % interval; not there where a method has none. */
  readonly lower?: readonly number[]
  readonly upper?: readonly number[]
}

/** The same, of each window asked once. */
export function once(say: (window: Window) => Said): (window: Window) => Said {
  const told = new Map<Window, Said>()
  return window => {
    const said = told.get(window) ?? say(window)
    told.set(window, said)
    return said
  }
}
