/** Arithmetic of vectors that stand for what a text means. */

/** A text as a vector of length 1. */
export type Vector = Float32Array

/** How alike two texts are, from -1 to 1. */
export function likeness(one: Vector, other: Vector): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number)
  return sum
}

/** So that measures of different kinds can be added: by how many standard deviations each is over their mean. */
export function standardised(values: readonly number[]): number[] {
  const mean = sumOf(values) / values.length
  const deviation = Math.sqrt(sumOf(values.map(value => (value - mean) ** 2)) / values.length)
  return values.map(value => (deviation === 0 ? 0 : (value - mean) / deviation))
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
