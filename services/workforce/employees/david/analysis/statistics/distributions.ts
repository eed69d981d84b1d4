/**
 * How probable a statistic is by chance. Ours as none of the libraries fits: `@stdlib` brings 212 packages for two functions, `jstat`
 * takes small tails as 1 minus a large one and loses them. Held to R by the test. docs/decisions/data.md
 */

/** Of a value at least as far from zero as `t`, Student's t with `df` degrees of freedom. */
export function studentTwoSided(t: number, df: number): number {
  if (!Number.isFinite(t)) return Number.isNaN(t) ? 1 : 0
  return incompleteBeta(df / 2, 0.5, df / (df + t * t))
}

/** Of a correlation of ranks at least as far from zero, were there none. */
export function probabilityOf(r: number, n: number): number {
  const df = n - 2
  if (df < 1) return 1
  return studentTwoSided(r * Math.sqrt(df / Math.max(1e-300, 1 - r * r)), df)
}

/** Of a value of at least `x`, chi-squared with `df` degrees of freedom. */
export const chiSquaredUpper = (x: number, df: number): number => (x <= 0 ? 1 : upperGamma(df / 2, x / 2))

/** Of at least `count` events where `mean` are expected, Poisson: P(count, mean). */
export function poissonUpper(count: number, mean: number): number {
  if (count <= 0) return 1
  if (mean <= 0) return 0
  return mean < count + 1 ? lowerSeries(count, mean) : 1 - upperFraction(count, mean)
}

/** Regularised Q(a, x): series for the small x, continued fraction for the large ones (DLMF 8.7.1, 8.9.2). */
function upperGamma(a: number, x: number): number {
  return x < a + 1 ? 1 - lowerSeries(a, x) : upperFraction(a, x)
}

function lowerSeries(a: number, x: number): number {
  let [term, sum] = [1 / a, 1 / a]
  for (let n = 1; n < 10_000 && Math.abs(term) > Math.abs(sum) * 1e-16; n++) {
    term *= x / (a + n)
    sum += term
  }
  return sum * Math.exp(-x + a * Math.log(x) - logGamma(a))
}

function upperFraction(a: number, x: number): number {
  const fraction = lentz(
    x + 1 - a,
    n => -n * (n - a),
    n => x + 2 * n + 1 - a,
  )
  return Math.exp(-x + a * Math.log(x) - logGamma(a)) / fraction
}

/** Regularised I_x(a, b) (DLMF 8.17.22). */
function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction settles fast on this side alone.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x)
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a
  const fraction = lentz(
    1,
    n => {
      const m = n >> 1
      return n % 2 === 0
        ? (m * (b - m) * x) / ((a + n - 1) * (a + n))
        : (-(a + m) * (a + b + m) * x) / ((a + n - 1) * (a + n))
    },
    () => 1,
  )
  return front / fraction
}

/** b0 + a1 / (b1 + a2 / (b2 + …)), by Lentz's method as Thompson and Barnett (1986) have it. */
function lentz(b0: number, a: (n: number) => number, b: (n: number) => number): number {
  const tiny = 1e-300
  let value = b0 === 0 ? tiny : b0
  let [c, d] = [value, 0]
  for (let n = 1; n < 10_000; n++) {
    d = b(n) + a(n) * d
    d = 1 / (d === 0 ? tiny : d)
    c = b(n) + a(n) / c
    if (c === 0) c = tiny
    value *= c * d
    if (Math.abs(c * d - 1) < 1e-15) break
  }
  return value
}

/** Lanczos's approximation with g = 7 and nine terms, good to 15 digits. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const [first = 0, ...rest] = LANCZOS
  const sum = rest.reduce((total, coefficient, i) => total + coefficient / (x + i), first)
  const t = x + 6.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]
