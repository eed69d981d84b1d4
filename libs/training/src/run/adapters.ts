/**
 * Adapters of low rank: each matrix of weights W is frozen, and W + A B is used, where A and B are trained and have few
 * columns and rows. Hu and others, LoRA (2021), section 4.1, with α = r. At the end the products are added to the weights,
 * so that the model that is kept has the nodes of its parent.
 */
import { create, fromBinary } from '@bufbuild/protobuf'
import {
  type ModelProto,
  ModelProtoSchema,
  NodeProtoSchema,
  type TensorProto,
} from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { integerOf } from '../attributes.ts'
import { randomAt } from '../counter-random.ts'
import { ADAPTERS } from '../examples.ts'
import { PREFIX } from '../graph-writer.ts'
import { contributing, isProduct, readModelToTrain, trainableWeights } from '../model-graph.ts'
import { readTensor, writeTensor } from '../tensor-proto.ts'
import { TrainingRefused } from '../training-refused.ts'
import { writeModel } from '../write-model.ts'

interface AdapterOptions {
  readonly rank: number
  readonly seed: number
  /** Weights that are trained as they are, and get no adapters. */
  readonly others?: readonly string[]
}

/** Throws `TrainingRefused` where the model has no matrix of weights that goes into a product. */
export function addAdapters(bytes: Uint8Array, { others = [], ...options }: AdapterOptions) {
  const { model } = readModelToTrain(bytes)
  const adapted = adaptedWeights(model, others)
  if (adapted.size === 0) throw new TrainingRefused('the model has no Gemm or MatMul with a matrix of weights to adapt')
  const { graph } = model
  if (!graph) throw new TrainingRefused('the model has no graph')
  const tensors = new Map(graph.initializer.map(tensor => [tensor.name, tensor]))
  const added = [...adapted].map(([name, isTransposed], stream) => {
    const { dims } = tensors.get(name) as TensorProto
    return { name, ...factors(name, dims.map(Number), { ...options, stream, isTransposed }) }
  })
  for (const node of graph.node) {
    if (isProduct(node.opType))
      node.input = node.input.map((name, at) => (at === 1 && adapted.has(name) ? sumName(name) : name))
  }
  graph.node.unshift(
    ...added.flatMap(({ name }) => [
      node('MatMul', [leftName(name), rightName(name)], `${PREFIX}${name}/product`),
      node('Add', [name, `${PREFIX}${name}/product`], sumName(name)),
    ]),
  )
  graph.initializer.push(...added.flatMap(({ left, right }) => [left, right]))
  return {
    bytes: writeModel(model),
    names: [...added.flatMap(({ name }) => [leftName(name), rightName(name)]), ...others],
    finish: (trained: Uint8Array) => merge(bytes, trained, { adapted: [...adapted.keys()], others }),
  }
}

/** Matrices of weights that are the second factor of products, and whether each is transposed there. */
function adaptedWeights(model: ModelProto, others: readonly string[]): ReadonlyMap<string, boolean> {
  const { node = [], initializer = [], output = [] } = model.graph ?? {}
  const weights = new Set(trainableWeights(model))
  const matrices = new Set(
    initializer
      .filter(({ name, dims }) => dims.length === 2 && weights.has(name) && !others.includes(name))
      .map(({ name }) => name),
  )
  const found = new Map<string, boolean>()
  for (const each of contributing(node, output[0]?.name ?? '')) {
    const [, name = ''] = each.input
    if (isProduct(each.opType) && matrices.has(name)) found.set(name, integerOf(each, 'transB', 0) !== 0)
  }
  return found
}

/** The factor that the input meets first is random, the other is zero: the run begins with the model as it is. */
function factors(
  name: string,
  [rows = 0, columns = 0]: readonly number[],
  { rank, seed, stream, isTransposed }: { rank: number; seed: number; stream: number; isTransposed: boolean },
): { readonly left: TensorProto; readonly right: TensorProto } {
  const inner = Math.min(rank, rows, columns)
  const bound = 1 / Math.sqrt(isTransposed ? columns : rows)
  const random = (shape: readonly [number, number]): Tensor => ({
    dtype: 'float32',
    shape,
    data: Float32Array.from(
      { length: shape[0] * shape[1] },
      (_, at) => bound * (randomAt(seed, ADAPTERS, stream, at) / 2 ** 31 - 1),
    ),
  })
  const zero = (shape: readonly [number, number]): Tensor => ({
    dtype: 'float32',
    shape,
    data: new Float32Array(shape[0] * shape[1]),
  })
  const [left, right] = isTransposed ? [zero, random] : [random, zero]
  return {
    left: writeTensor(leftName(name), left([rows, inner])),
    right: writeTensor(rightName(name), right([inner, columns])),
  }
}

const leftName = (name: string) => `${PREFIX}${name}/left`
const rightName = (name: string) => `${PREFIX}${name}/right`
const sumName = (name: string) => `${PREFIX}${name}/adapted`

const node = (opType: string, input: string[], output: string) =>
  create(NodeProtoSchema, { opType, input, output: [output] })

/** The parent with A B added to each weight that was adapted, and with the others as they were trained. */
function merge(
  parent: Uint8Array,
  trained: Uint8Array,
  { adapted, others }: { readonly adapted: readonly string[]; readonly others: readonly string[] },
): Uint8Array {
  const model = fromBinary(ModelProtoSchema, parent)
  const found = new Map(fromBinary(ModelProtoSchema, trained).graph?.initializer.map(each => [each.name, each]))
  const tensorOf = (name: string) => readTensor(found.get(name) as TensorProto)
  const sumOf = (name: string) => withProduct(tensorOf(name), tensorOf(leftName(name)), tensorOf(rightName(name)))
  const merged = new Map([
    ...adapted.map(name => [name, writeTensor(name, sumOf(name))] as const),
    ...others.map(name => [name, found.get(name) as TensorProto] as const),
  ])
  if (model.graph) model.graph.initializer = model.graph.initializer.map(each => merged.get(each.name) ?? each)
  return writeModel(model)
}

function withProduct(weights: Tensor, left: Tensor, right: Tensor): Tensor {
  const [rows = 0, columns = 0] = weights.shape
  const [inner = 0] = right.shape
  const data = Float32Array.from(weights.data as Float32Array)
  const [a, b] = [left.data as Float32Array, right.data as Float32Array]
  const sums = new Float64Array(columns)
  for (let row = 0; row < rows; row += 1) {
    sums.fill(0)
    for (let k = 0; k < inner; k += 1) {
      const factor = a[row * inner + k] as number
      for (let column = 0; column < columns; column += 1) {
        sums[column] = (sums[column] as number) + factor * (b[k * columns + column] as number)
      }
    }
    for (let column = 0; column < columns; column += 1) {
      data[row * columns + column] = (data[row * columns + column] as number) + (sums[column] as number)
    }
  }
  return { ...weights, data }
}
