/** Reverse-mode differentiation: from the gradient for the output of a graph to those for its weights. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { differentiableOperators } from './differentiable-operators.ts'
import type { Backward } from './gradient-rule.ts'
import type { GraphWriter } from './graph-writer.ts'
import type { Trace } from './trace.ts'
import { TrainingRefused } from './training-refused.ts'

/** An error that names a node. */
export const refuse = (node: NodeProto, why: string): TrainingRefused =>
  new TrainingRefused(`the node "${node.name || (node.output[0] ?? '')}" (${operatorOf(node)}) ${why}`)

const operatorOf = ({ domain, opType }: NodeProto) => (isStandard(domain) ? opType : `${domain}.${opType}`)
const isStandard = (domain: string) => domain === '' || domain === 'ai.onnx'

/** How a node is differentiated; undefined where it is not. */
export const ruleOf = ({ domain, opType }: NodeProto) =>
  isStandard(domain) ? differentiableOperators.get(opType) : undefined

/** Values that depend on what is trained and can have a gradient. Throws `TrainingRefused` for a node without a rule. */
export function differentiable(
  nodes: readonly NodeProto[],
  trained: ReadonlySet<string>,
  trace: Trace,
): ReadonlySet<string> {
  const active = new Set(trained)
  for (const node of nodes) {
    if (!node.input.some(name => active.has(name))) continue
    const outputs = node.output.filter(name => name !== '' && isFloat(trace.tensorOf(name).dtype))
    if (outputs.length === 0) continue
    if (!ruleOf(node)) throw refuse(node, 'is of an operator that is not differentiated')
    for (const name of outputs) active.add(name)
  }
  return active
}

const isFloat = (dtype: string) => dtype.startsWith('float')

/**
 * Adds the backward part of the nodes, the last first, and returns the gradient for each of the trained weights. A value
 * that is used several times has the sum of the gradients of its uses.
 */
export function writeBackward(
  graph: GraphWriter,
  nodes: readonly NodeProto[],
  { from, active, trace }: { from: ReadonlyMap<string, string>; active: ReadonlySet<string>; trace: Trace },
): (name: string) => string | undefined {
  const gradients = new Map([...from].map(([name, gradient]) => [name, [gradient]]))
  const gradientOf = (name: string): string | undefined => {
    const parts = gradients.get(name)
    if (!parts || parts.length === 0) return undefined
    if (parts.length > 1) gradients.set(name, [graph.add('Sum', parts)])
    return gradients.get(name)?.[0]
  }
  for (const node of nodes.toReversed()) {
    const hasGradient = node.output.some(name => gradients.has(name))
    if (!hasGradient || !node.input.some(name => active.has(name))) continue
    const rule = ruleOf(node)
    if (!rule) continue
    if (node.opType !== 'Split' && node.output.slice(1).some(name => gradients.has(name)))
      throw refuse(node, 'has a second output that the loss depends on')
    const found = rule.gradient(backwardOf(graph, node, { gradientOf, active, trace }))
    node.input.forEach((name, input) => {
      const gradient = found[input]
      if (gradient === undefined || !active.has(name)) return
      gradients.set(name, [...(gradients.get(name) ?? []), gradient])
    })
  }
  return gradientOf
}

function backwardOf(
  graph: GraphWriter,
  node: NodeProto,
  {
    gradientOf,
    active,
    trace,
  }: { gradientOf: (name: string) => string | undefined; active: ReadonlySet<string>; trace: Trace },
): Backward {
  const x = (input = 0) => node.input[input] ?? ''
  const y = (output = 0) => node.output[output] ?? ''
  return {
    graph,
    node,
    x,
    y,
    gradient: (output = 0) => gradientOf(y(output)),
    dy: gradientOf(y()) ?? '',
    wants: input => active.has(x(input)),
    shapeOf: name => trace.tensorOf(name).shape,
    constantOf: trace.constantOf,
    integers(input) {
      if (x(input) === '') return undefined
      const constant = trace.constantOf(x(input))
      if (!constant) throw refuse(node, `has an input "${x(input)}" that is not constant`)
      return Array.from(constant.data as BigInt64Array, Number)
    },
    refuse: why => refuse(node, why),
  }
}
