/**
 * Where the standard normal distribution has a share of `p` below, for p from 1e-11 to 1 - 1e-11, good to seven digits: Wichura,
 * "Algorithm AS 241: the percentage points of the normal distribution" (1988), PPND7.
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return (
      (q * (((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179)) /
      (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1)
    )
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p)) - 1.6
  const tail =
    (((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777) /
    ((0.12021132975 * r + 0.7370016425) * r + 1)
  return q < 0 ? -tail : tail
}
