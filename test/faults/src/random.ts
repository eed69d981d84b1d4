/** Seeded randomness: a failure prints its seed, and `MILLHAND_SEED` replays it. */
export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** A whole number, both ends included. */
  between(least: number, most: number): number
}

/** The seed that `MILLHAND_SEED` names, else `usual`, or that of the run (`pnpm test` has one for each commit), or a new one. */
export function chosenSeed(usual?: number): number {
  const { MILLHAND_SEED, TEST_PART } = process.env
  return Number(MILLHAND_SEED ?? usual ?? TEST_PART ?? Math.floor(Math.random() * 2 ** 32))
}

/** Mulberry32: 32 bits of state, good enough to choose moments with. */
export function random(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, between: (least, most) => least + Math.floor(next() * (most - least + 1)) }
}
