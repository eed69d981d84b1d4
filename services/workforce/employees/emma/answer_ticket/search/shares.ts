/** Kernel ridge regression: which of several passages a question belongs to, learnt from their own sentences. */
import { likeness, sumOf, type Vector } from './likeness.ts'

/** How soon texts that are less alike count less, and how much one text alone is held to prove. */
const SHARPNESS = 2
const DOUBT = 1

/**
 * How much of the question the texts of each passage explain when all of them explain it together. What many say is shared among
 * them, so that, unlike in likeness, a passage that alone says what is asked stands out.
 */
export function sharesOf(question: Vector, passages: readonly (readonly Vector[])[]): number[] {
  const texts = passages.flat()
  const alike = (one: Vector, other: Vector) => Math.exp(SHARPNESS * (likeness(one, other) - 1))
  const matrix = texts.map((one, row) => texts.map((other, column) => alike(one, other) + (row === column ? DOUBT : 0)))
  const shares = solved(
    matrix,
    texts.map(text => alike(question, text)),
  )
  return passages.map(own => sumOf(shares.splice(0, own.length)))
}

/** The x of matrix · x = right, by conjugate gradients; the matrix is symmetric and positive definite. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  let x = right.map(() => 0)
  let rest = [...right]
  let direction = rest
  let error = dot(rest, rest)
  const enough = error * 1e-18
  for (let step = 0; step < right.length && error > enough; step++) {
    const image = matrix.map(row => dot(row, direction))
    const length = error / dot(direction, image)
    x = plus(x, direction, length)
    rest = plus(rest, image, -length)
    const left = dot(rest, rest)
    direction = plus(rest, direction, left / error)
    error = left
  }
  return x
}

const dot = (one: readonly number[], other: readonly number[]) =>
  sumOf(one.map((value, at) => value * (other[at] as number)))

const plus = (one: readonly number[], other: readonly number[], times: number) =>
  one.map((value, at) => value + times * (other[at] as number))
