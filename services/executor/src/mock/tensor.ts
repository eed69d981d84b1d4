import { elements, type Tensor, type TensorSpec } from '@millhand/model'
import type { SeededRandom } from './seeded-random.ts'

/** A tensor of this type and shape, whose elements are small. */
export function tensorOf({ dtype, shape }: TensorSpec, dice: SeededRandom): Tensor {
  const data = elements(
    dtype,
    shape.reduce((product, length) => product * length, 1),
  )
  for (let at = 0; at < data.length; at++) (data as unknown[])[at] = elementOf(dtype, dice)
  return { dtype, shape, data }
}

function elementOf(dtype: TensorSpec['dtype'], dice: SeededRandom): number | bigint | string {
  switch (dtype) {
    case 'string':
      return `word${dice.between(1, 9)}`
    case 'bool':
      return dice.between(0, 1)
    case 'int64':
    case 'uint64':
      return BigInt(dice.between(0, 9))
    case 'float16':
    case 'float32':
    case 'float64':
      return dice.between(-1_000, 1_000) / 1_000
    default:
      return dice.between(0, 9)
  }
}
