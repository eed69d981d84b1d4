import { logGamma } from './distributions.ts'

/** Of a table of two by two that is no more probable than this one, its sums given (Fisher 1935). */
export function fisherTwoSided([[a = 0, b = 0] = [], [c = 0, d = 0] = []]: readonly (readonly number[])[]): number {
  const probability = (first: number) =>
    Math.exp(choose(a + b, first) + choose(c + d, a + c - first) - choose(a + b + c + d, a + c))
  const [from, to] = [Math.max(0, a + c - (c + d)), Math.min(a + b, a + c)]
  const seen = probability(a)
  let sum = 0
  for (let first = from; first <= to; first++) {
    const one = probability(first)
    // As R has it: equal up to what rounding does.
    if (one <= seen * (1 + 1e-7)) sum += one
  }
  return Math.min(1, sum)
}

const choose = (n: number, k: number) => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)
