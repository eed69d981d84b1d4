/** A model and what training adds to it, as one graph of standard operators: forward, loss, backward. */
import { toBinary } from '@bufbuild/protobuf'
import { type ModelProto, ModelProtoSchema, type NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { integerOf } from './attributes.ts'
import { differentiable, refuse, ruleOf, writeBackward } from './backward.ts'
import { inputOf } from './graph-input.ts'
import { type GraphWriter, openGraphWriter, PREFIX } from './graph-writer.ts'
import { insideLoss, type Loss, type Target, targetOf, writeLoss } from './loss.ts'
import { contributing, readModelToTrain, trainableWeights } from './model-graph.ts'
import type { Shape } from './operations.ts'
import { type Evaluate, type Trace, traceModel, withGraph } from './trace.ts'
import { TrainingRefused } from './training-refused.ts'
import { layoutOf, pack, unpack, type VectorLayout } from './vector-layout.ts'

export interface TrainingGraphOptions {
  readonly loss: Loss
  /** The output that is trained; default the first. */
  readonly output?: string
  /** Initializers to train; default all of float32 with at least one axis that are no statistics. */
  readonly trained?: readonly string[]
  /** The model's inputs for one batch. Their shapes are those of every step. */
  readonly batch: ReadonlyMap<string, Tensor>
}

export interface TrainingGraph {
  /** An ONNX model. */
  readonly bytes: Uint8Array
  /** The inputs of the model that it takes. */
  readonly inputs: readonly string[]
  readonly target: Target
  /** What the loss takes: the output, or what goes into its last operator where the loss has that inside. */
  readonly prediction: { readonly name: string; readonly shape: Shape }
  /** The trained weights. */
  readonly weights: Packed
  /** Means and variances of batch normalization, which a step updates. */
  readonly statistics: Carried
  readonly masks: readonly DropoutMask[]
  /** The output with the loss, a scalar. */
  readonly loss: string
  /** The output with the gradients, as one vector in the order of the weights. */
  readonly gradients: string
}

/** Tensors of the model that are one vector, which goes into each step. */
interface Packed extends VectorLayout {
  readonly input: string
  /** As the model has them. */
  readonly initial: Float32Array
}

/** Those that a step also gives, for the next. */
interface Carried extends Packed {
  readonly output: string
}

/** An input with 0 where an element is dropped, elsewhere 1/(1 - ratio). */
interface DropoutMask {
  readonly input: string
  readonly shape: Shape
  readonly ratio: number
}

/** Throws `TrainingRefused`, and what `evaluate` throws. The caller has checked that the bytes may be loaded (`readOnnx`). */
export async function buildTrainingGraph(
  bytes: Uint8Array,
  options: TrainingGraphOptions,
  evaluate: Evaluate,
): Promise<TrainingGraph> {
  const { model, opset } = readModelToTrain(bytes)
  const all = model.graph?.node ?? []
  const wanted = new Set(options.trained ?? trainableWeights(model))
  const trace = await traceModel(model, options.batch, wanted, evaluate)
  const output = lossInput(model, trace, options)
  const nodes = contributing(all, output)
  const used = new Set(nodes.flatMap(({ input }) => input))
  const trained = [...trace.initializers.keys()].filter(name => wanted.has(name) && used.has(name))
  const active = differentiable(nodes, new Set(trained), trace)
  if (!active.has(output)) throw new TrainingRefused(`the output "${output}" depends on nothing that is trained`)
  const graph = openGraphWriter(opset)
  const forward = writeForward(graph, nodes, active, trace)
  const shape = trace.tensorOf(output).shape
  const target = targetOf(options.loss, shape)
  const { value, gradient } = writeLoss(graph, options.loss, output, shape, target.name)
  const gradientOf = writeBackward(graph, nodes, { from: new Map([[output, gradient]]), active, trace })
  const layout = layoutOf(trained, name => trace.tensorOf(name).shape)
  const gradients = pack(graph, layout, gradientOf)
  const weights = packed(layout, `${PREFIX}weights`, trace)
  const statistics = carryStatistics(graph, forward.statistics, trace)
  unpack(graph, weights.input, weights)
  if (statistics.length > 0) unpack(graph, statistics.input, statistics)
  const result = {
    inputs: [...options.batch.keys()].filter(name => used.has(name)),
    target,
    prediction: { name: output, shape },
    weights,
    statistics,
    masks: forward.masks,
    loss: value,
    gradients,
  }
  writeEnds(graph, { model, options, trace, used, result })
  return { bytes: toBinary(ModelProtoSchema, withGraph(model, graph.graph)), ...result }
}

/** The value that the loss takes: the output, or what goes into the operator that the loss has inside. */
function lossInput(
  { graph }: ModelProto,
  trace: Trace,
  { output = graph?.output[0]?.name, loss }: TrainingGraphOptions,
) {
  const node = graph?.node.find(each => each.output[0] === output)
  if (output === undefined || !node) throw new TrainingRefused(`the model has no output "${output}" of a node`)
  if (!insideLoss[loss].includes(node.opType)) return output
  const axis = integerOf(node, 'axis', -1)
  if (loss === 'cross_entropy' && axis !== -1 && axis !== trace.tensorOf(output).shape.length - 1) {
    throw refuse(node, 'has its classes along another axis than the last')
  }
  return node.input[0] as string
}

function writeForward(graph: GraphWriter, nodes: readonly NodeProto[], active: ReadonlySet<string>, trace: Trace) {
  const masks: DropoutMask[] = []
  const statistics = new Map<string, string>()
  for (const node of nodes) {
    const form = ruleOf(node)?.forward
    if (!form) {
      graph.copy(node)
      continue
    }
    form({
      graph,
      node,
      shapeOf: name => trace.tensorOf(name).shape,
      constantOf: trace.constantOf,
      isTrained: name => name !== undefined && active.has(name),
      mask(shape, ratio) {
        const input = `${PREFIX}mask/${masks.length}`
        masks.push({ input, shape, ratio })
        return input
      },
      updates(statistic, value) {
        if (!trace.initializers.has(statistic)) throw refuse(node, 'has statistics that are no initializers')
        if (statistics.has(statistic)) throw refuse(node, 'shares its statistics with another node')
        statistics.set(statistic, value)
      },
      refuse: why => refuse(node, why),
    })
  }
  return { masks, statistics }
}

function packed(layout: VectorLayout, input: string, trace: Trace): Packed {
  const initial = new Float32Array(layout.length)
  for (const { name, offset } of layout.tensors) {
    const { dtype, data } = trace.tensorOf(name)
    if (dtype !== 'float32') throw new TrainingRefused(`"${name}" has elements of ${dtype}; float32 is trained`)
    initial.set(data as Float32Array, offset)
  }
  return { ...layout, input, initial }
}

function carryStatistics(graph: GraphWriter, updates: ReadonlyMap<string, string>, trace: Trace): Carried {
  const input = `${PREFIX}statistics`
  const layout = layoutOf([...updates.keys()], name => trace.tensorOf(name).shape)
  const output = layout.length === 0 ? input : pack(graph, layout, name => updates.get(name))
  return { ...packed(layout, input, trace), output }
}

type Ends = Omit<TrainingGraph, 'bytes'>

/** Inputs, outputs and the constants of the model. */
function writeEnds(
  graph: GraphWriter,
  parts: {
    readonly model: ModelProto
    readonly options: TrainingGraphOptions
    readonly trace: Trace
    readonly used: ReadonlySet<string>
    readonly result: Ends
  },
): void {
  const { options, trace, used } = parts
  const { inputs, target, weights, statistics, masks, loss, gradients } = parts.result
  const vectors = [weights, statistics].filter(({ length }) => length > 0)
  const split = new Set(vectors.flatMap(({ tensors }) => tensors.map(({ name }) => name)))
  for (const [name, tensor] of trace.initializers) {
    if (used.has(name) && !split.has(name)) graph.initializer(name, tensor)
  }
  graph.graph.input.push(
    ...[...options.batch]
      .filter(([name]) => inputs.includes(name))
      .map(([name, { dtype, shape }]) => inputOf(name, dtype, shape)),
    inputOf(target.name, target.dtype, target.shape),
    ...vectors.map(({ input, length }) => inputOf(input, 'float32', [length])),
    ...masks.map(({ input, shape }) => inputOf(input, 'float32', shape)),
  )
  graph.output(loss)
  graph.output(gradients)
  if (statistics.length > 0) graph.output(statistics.output)
}
