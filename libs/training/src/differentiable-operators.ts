/** The operators that training goes through. A node of another operator on the way from a weight to the loss is refused. */
import type { DifferentiableOperator } from './gradient-rule.ts'
import { activations } from './rules/activations.ts'
import { arithmetic } from './rules/arithmetic.ts'
import { convolutions } from './rules/convolution.ts'
import { dropout } from './rules/dropout.ts'
import { normalization } from './rules/normalization.ts'
import { pooling } from './rules/pooling.ts'
import { products } from './rules/products.ts'
import { reductions } from './rules/reductions.ts'
import { shapes } from './rules/shapes.ts'
import { slices } from './rules/slices.ts'

export const differentiableOperators: ReadonlyMap<string, DifferentiableOperator> = new Map(
  Object.entries({
    ...arithmetic,
    ...activations,
    ...products,
    ...reductions,
    ...normalization,
    ...convolutions,
    ...pooling,
    ...shapes,
    ...slices,
    ...dropout,
  }),
)
