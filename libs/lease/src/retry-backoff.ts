/**
 * The wait before the next attempt, in milliseconds: 1 s, doubling with each attempt, at most 60 s, of which the upper
 * half is random, so that work that failed together does not come back together. Contract, section 4, "States".
 * `random` is from 0 up to 1.
 */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(60_000, 1000 * 2 ** Math.min(attempt - 1, 16))
  return Math.round(full / 2 + (full / 2) * random)
}
