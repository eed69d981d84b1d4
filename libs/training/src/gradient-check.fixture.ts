/** Compares the gradients of a training graph with finite differences of a reference in float64. */
import assert from 'node:assert/strict'
import { fromBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema, type NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { openSessionOf } from '@millhand/onnxruntime'
import { buildTrainingGraph, type Evaluate, type TrainingGraph } from './index.ts'
import type { Loss } from './loss.ts'
import { type Network, randomNumbers } from './network.fixture.ts'
import { referenceOperators } from './reference/operators.fixture.ts'
import type { Value } from './reference/value.fixture.ts'
import { elementCount, readTensor } from './tensor-proto.ts'

/** ONNX Runtime on one thread. */
export const evaluate: Evaluate = async (model, inputs) => (await openSessionOf(model, { threads: 1 })).run(inputs)

export interface GradientCheck {
  readonly network: Network
  readonly output: string
  readonly loss?: Loss
  /** Elements of each weight that are compared; default all. */
  readonly most?: number
  readonly trained?: readonly string[]
}

const STEP = 1e-5
const TOLERANCE = 1e-4

/**
 * Fails where a gradient differs by more than 1e-4 of the largest of its tensor. Where a whole tensor has none, as the
 * bias before a normalization, what float32 leaves of it is compared with the largest of the network.
 */
export async function checkGradients({ network, output, loss = 'mean_squared', most, trained }: GradientCheck) {
  const model = network.bytes(output)
  const options = { loss, batch: network.batch, ...(trained && { trained }) }
  const training = await buildTrainingGraph(model, options, evaluate)
  const feeds = feedsOf(training, network.batch)
  const results = await evaluate(training.bytes, feeds)
  const gradients = results.get(training.gradients)?.data as Float32Array
  const reference = referenceOf(model, training, feeds, loss)
  const value = Number((results.get(training.loss) as Tensor).data[0])
  const expected = reference(new Map())
  assert.ok(Math.abs(value - expected) <= 1e-5 * Math.max(1, Math.abs(expected)), `loss ${value}, not ${expected}`)
  const random = randomNumbers(5)
  const least = 1e-2 * Math.max(...gradients.map(Math.abs))
  for (const { name, shape, offset } of training.weights.tensors) {
    const count = elementCount(shape)
    const chosen = Array.from({ length: Math.min(count, most ?? count) }, (_, at) =>
      most === undefined ? at : Math.floor(random() * count),
    )
    const differences = chosen.map(element => {
      const moved = (by: number) => reference(new Map([[name, { element, by }]]))
      return (moved(STEP) - moved(-STEP)) / (2 * STEP)
    })
    const own = gradients.subarray(offset, offset + count)
    const largest = Math.max(...differences.map(Math.abs), ...own.map(Math.abs), least)
    differences.forEach((difference, at) => {
      const element = chosen[at] as number
      const error = Math.abs((own[element] as number) - difference) / largest
      assert.ok(error < TOLERANCE, `${name}[${element}]: ${own[element]}, not ${difference}, of ${largest}`)
    })
  }
  return training
}

/** The inputs of a step with a target by seed and the weights as the model has them. */
export function feedsOf(training: TrainingGraph, batch: ReadonlyMap<string, Tensor>): Map<string, Tensor> {
  const { target, weights, statistics, masks } = training
  const random = randomNumbers(3)
  const count = elementCount(target.shape)
  const data =
    target.dtype === 'int64'
      ? BigInt64Array.from({ length: count }, () => BigInt(Math.floor(random() * 3)))
      : Float32Array.from({ length: count }, () => random())
  const feeds = new Map<string, Tensor>([...batch, [target.name, { dtype: target.dtype, shape: target.shape, data }]])
  for (const { input, length, initial } of [weights, statistics]) {
    if (length > 0) feeds.set(input, { dtype: 'float32', shape: [length], data: initial })
  }
  for (const { input, shape, ratio } of masks) {
    const mask = Float32Array.from({ length: elementCount(shape) }, () => (random() < ratio ? 0 : 1 / (1 - ratio)))
    feeds.set(input, { dtype: 'float32', shape, data: mask })
  }
  return feeds
}

type Moved = ReadonlyMap<string, { readonly element: number; readonly by: number }>

/** The loss in float64, with elements of the weights moved. */
function referenceOf(
  bytes: Uint8Array,
  { target, masks }: TrainingGraph,
  feeds: ReadonlyMap<string, Tensor>,
  loss: Loss,
): (moved: Moved) => number {
  const { graph } = fromBinary(ModelProtoSchema, bytes)
  const constants = new Map(graph?.initializer.map(each => [each.name, toValue(readTensor(each))]))
  for (const [name, tensor] of feeds) constants.set(name, toValue(tensor))
  const wanted = constants.get(target.name) as Value
  return moved => {
    const values = new Map(constants)
    for (const [name, { element, by }] of moved) {
      const { shape, data } = values.get(name) as Value
      values.set(name, { shape, data: data.with(element, (data[element] as number) + by) })
    }
    let dropouts = 0
    const operatorOf = ({ opType }: NodeProto) => {
      if (opType !== 'Dropout') return referenceOperators[opType]
      const mask = values.get(masks[dropouts++]?.input ?? '') as Value
      return (node: NodeProto, [x]: readonly Value[]) => referenceOperators.Mul?.(node, [x as Value, mask]) ?? []
    }
    for (const node of graph?.node ?? []) {
      const inputs = node.input.map(name => values.get(name) as Value)
      const outputs = operatorOf(node)?.(node, inputs) ?? []
      node.output.forEach((name, at) => {
        const output = outputs[at]
        if (output) values.set(name, output)
      })
    }
    return losses[loss](values.get(graph?.output[0]?.name ?? '') as Value, wanted)
  }
}

const toValue = ({ shape, data }: Tensor): Value => ({ shape, data: Float64Array.from(data as Float32Array, Number) })

const average = (numbers: Float64Array) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length

/** Cross entropy of logits. */
const losses: Readonly<Record<Loss, (output: Value, target: Value) => number>> = {
  mean_squared: ({ data }, target) => average(data.map((each, at) => (each - (target.data[at] as number)) ** 2)),
  binary_cross_entropy: ({ data }, target) =>
    average(
      data.map((z, at) => {
        const t = target.data[at] as number
        return t * Math.log1p(Math.exp(-z)) + (1 - t) * Math.log1p(Math.exp(z))
      }),
    ),
  cross_entropy: ({ shape, data }, target) => {
    const classes = shape.at(-1) as number
    return average(
      target.data.map((label, row) => {
        const logits = data.subarray(row * classes, (row + 1) * classes)
        return Math.log(logits.reduce((sum, each) => sum + Math.exp(each), 0)) - (logits[label] as number)
      }),
    )
  },
}
