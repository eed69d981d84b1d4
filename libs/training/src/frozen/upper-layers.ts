/** Whether the upper layers of an encoder can be trained, as far as the graph tells. A run finds the rest. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { integerOf } from '../attributes.ts'
import { refuse, ruleOf } from '../backward.ts'
import { graphsIn, isProduct } from '../model-graph.ts'
import type { GraphParts } from './graph-parts.ts'

/** `DataType` of TensorProto. */
const FLOAT = 1
const FLOATS: ReadonlySet<number> = new Set([FLOAT, 10, 11, 16])

/** Give integers or truth values, through which no gradient goes. */
const DISCRETE: ReadonlySet<string> = new Set([
  ...['Shape', 'Size', 'NonZero', 'ArgMax', 'ArgMin', 'IsNaN', 'IsInf', 'QuantizeLinear'],
  ...['Equal', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual'],
])

/** Throws `TrainingRefused`, which names the node. */
export function requireTrainable({ node, initializer }: GraphParts): void {
  const types = new Map(initializer.map(({ name, dataType }) => [name, dataType]))
  const active = new Set<string>()
  for (const each of node) {
    if (graphsIn(each.attribute).length > 0) throw refuse(each, 'has a graph inside')
    const [, weights = ''] = each.input
    const type = isProduct(each.opType) ? types.get(weights) : undefined
    if (type !== undefined && type !== FLOAT) throw refuse(each, 'has weights of another type than float32')
    if (type !== undefined) active.add(weights)
    if (!each.input.some(name => active.has(name)) || isDiscrete(each)) continue
    if (!ruleOf(each)) throw refuse(each, 'is of an operator that is not differentiated')
    for (const name of each.output) active.add(name)
  }
}

const isDiscrete = (node: NodeProto): boolean =>
  DISCRETE.has(node.opType) || (node.opType === 'Cast' && !FLOATS.has(integerOf(node, 'to', FLOAT)))
