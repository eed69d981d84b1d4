/** Whether a model can be trained, as far as its file tells. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import { integerOf } from '../attributes.ts'
import { refuse, ruleOf } from '../backward.ts'
import { contributing, readModelToTrain, trainableWeights } from '../model-graph.ts'
import { TrainingRefused } from '../training-refused.ts'

/**
 * Why the model cannot be trained, naming the operator; undefined where it can. For create and for the model's record:
 * it reads the file and runs nothing. What depends on shapes is found where the run begins (`TrainingRefused`).
 */
export function whyNotTrainable(bytes: Uint8Array): string | undefined {
  try {
    requireTrainable(bytes)
    return undefined
  } catch (error) {
    if (error instanceof TrainingRefused) return error.message
    throw error
  }
}

function requireTrainable(bytes: Uint8Array): void {
  const { model } = readModelToTrain(bytes)
  const output = model.graph?.output[0]?.name ?? ''
  const active = new Set(trainableWeights(model))
  for (const node of contributing(model.graph?.node ?? [], output)) {
    if (hasNoGradient(node) || !node.input.some(name => active.has(name))) continue
    if (!ruleOf(node)) throw refuse(node, 'is of an operator that is not differentiated')
    for (const name of node.output) active.add(name)
  }
  if (!active.has(output)) throw new TrainingRefused(`the output "${output}" depends on no weights of float32`)
}

const hasNoGradient = (node: NodeProto) =>
  WITHOUT_GRADIENT.has(node.opType) || (node.opType === 'Cast' && !FLOATS.includes(integerOf(node, 'to', 1)))

/** TensorProto.DataType: float32, float16, float64, bfloat16. */
const FLOATS: readonly number[] = [1, 10, 11, 16]

/** Their results are no numbers that change by little where their inputs do. */
const WITHOUT_GRADIENT: ReadonlySet<string> = new Set([
  ...['Shape', 'Size', 'ArgMax', 'ArgMin', 'NonZero'],
  ...['Equal', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual', 'Not', 'And', 'Or', 'Xor', 'IsNaN', 'IsInf'],
])
