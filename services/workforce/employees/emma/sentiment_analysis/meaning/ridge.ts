/**
 * The weights that minimise the squares of the errors plus `penalty` times those of the weights, but for the last, which is the
 * constant's. By the normal equations and Cholesky's decomposition.
 */
export function ridge(rows: readonly Float64Array[], targets: readonly number[], penalty: number): Float64Array {
  const width = rows[0]?.length ?? 0
  const products = Array.from({ length: width }, () => new Float64Array(width))
  const sums = new Float64Array(width)
  for (const [at, row] of rows.entries())
    for (let i = 0; i < width; i++) {
      const value = row[i] as number
      sums[i] = (sums[i] as number) + value * (targets[at] as number)
      const line = products[i] as Float64Array
      for (let j = 0; j <= i; j++) line[j] = (line[j] as number) + value * (row[j] as number)
    }
  for (let i = 0; i < width - 1; i++) add(products[i] as Float64Array, i, penalty)
  return solve(products, sums)
}

const add = (line: Float64Array, at: number, value: number) => {
  line[at] = (line[at] as number) + value
}

/** `matrix` is symmetric and positive definite; its lower half is read, and changed. */
function solve(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const size = right.length
  const at = (i: number, j: number) => matrix[i]?.[j] as number
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = at(i, j)
      for (let k = 0; k < j; k++) sum -= at(i, k) * at(j, k)
      ;(matrix[i] as Float64Array)[j] = i === j ? Math.sqrt(sum) : sum / at(j, j)
    }
  const found = Float64Array.from(right)
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) add(found, i, -at(i, k) * (found[k] as number))
    found[i] = (found[i] as number) / at(i, i)
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) add(found, i, -at(k, i) * (found[k] as number))
    found[i] = (found[i] as number) / at(i, i)
  }
  return found
}
