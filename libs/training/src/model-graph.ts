/** What of the graph of a model can be trained. */
import { fromBinary } from '@bufbuild/protobuf'
import {
  type GraphProto,
  type ModelProto,
  ModelProtoSchema,
  type NodeProto,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { refuse } from './backward.ts'
import { TrainingRefused } from './training-refused.ts'

const MIN_OPSET = 13

/** Throws `TrainingRefused` for operators of old versions and for graphs inside nodes. */
export function readModelToTrain(bytes: Uint8Array): { readonly model: ModelProto; readonly opset: number } {
  const model = fromBinary(ModelProtoSchema, bytes)
  const opset = requireOpset(model)
  const inside = model.graph?.node.find(({ attribute }) => graphsIn(attribute).length > 0)
  if (inside) throw refuse(inside, 'has a graph inside')
  return { model, opset }
}

/** The version of its operators. Throws `TrainingRefused` for an old one. */
export function requireOpset({ opsetImport }: ModelProto): number {
  const opset = Number(opsetImport.find(({ domain }) => domain === '' || domain === 'ai.onnx')?.version ?? 0)
  if (opset >= MIN_OPSET) return opset
  throw new TrainingRefused(`the operators are of version ${opset}, older than ${MIN_OPSET}`)
}

/** Numbers without an axis are constants of formulas, and statistics are not learned. */
export function trainableWeights({ graph }: ModelProto): string[] {
  const statistics = graph?.node.flatMap(({ opType, input }) =>
    opType === 'BatchNormalization' ? input.slice(3, 5) : [],
  )
  const found = graph?.initializer.filter(({ dataType, dims }) => dataType === 1 && dims.length > 0) ?? []
  return found.map(({ name }) => name).filter(name => !statistics?.includes(name))
}

/** The nodes that a value is computed from, in their order. */
export function contributing(nodes: readonly NodeProto[], output: string): NodeProto[] {
  const needed = new Set([output])
  const found = nodes.toReversed().filter(node => {
    if (!node.output.some(name => name !== '' && needed.has(name))) return false
    for (const name of usedNames(node)) needed.add(name)
    return true
  })
  return found.toReversed()
}

/** What a node takes, also within graphs inside it: those see the values around them. */
export const usedNames = ({ input, attribute }: NodeProto): readonly string[] => [
  ...input,
  ...graphsIn(attribute).flatMap(({ node, output }) => [...node.flatMap(usedNames), ...output.map(({ name }) => name)]),
]

export const graphsIn = (attributes: NodeProto['attribute']): readonly GraphProto[] =>
  attributes.flatMap(({ g, graphs }) => (g ? [g, ...graphs] : graphs))

/** Whether an operator multiplies matrices. */
export const isProduct = (operator: string): boolean => operator === 'Gemm' || operator === 'MatMul'
