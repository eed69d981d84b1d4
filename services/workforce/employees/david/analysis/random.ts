/** Random numbers by seed. */
export interface Random {
  /** 0 to 1. */
  readonly uniform: () => number
  readonly normal: () => number
  /** 0 to `most` - 1. */
  readonly below: (most: number) => number
}

/** Mulberry32, which its author gave to the public. */
export function randomOf(seed: number): Random {
  let state = seed | 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    below: most => Math.floor(uniform() * most),
  }
}
