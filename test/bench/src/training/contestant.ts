/** A network that is trained by this project and by JAX, with the same weights and the same batch. */
import { fromBinary, toJson } from '@bufbuild/protobuf'
import { GraphProtoSchema, ModelProtoSchema } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import { openSessionOf } from '@millhand/onnxruntime'
import { buildTrainingGraph, type Loss, type Optimizer, openTrainingSteps } from '@millhand/training'
import { evaluate, feedsOf, type Network, openNetwork } from '@millhand/training/fixture'
import type { Jax } from './jax.ts'

export interface Contestant {
  /** Makes steps for so many seconds. */
  rate(seconds: number): Promise<StepRate>
  /** The same in JAX. */
  jaxRate(jax: Jax, seconds: number): Promise<StepRate>
  /**
   * The largest difference of a gradient from JAX's, relative to the largest of its tensor. Of a tensor whose gradients are
   * all below a hundredth of the largest of the network, relative to that hundredth.
   */
  difference(jax: Jax): Promise<number>
}

export interface StepRate {
  readonly perSecond: number
  /** Processor time of a step, in microseconds: what other processes take from it is not in that. */
  readonly cpuUs: number
}

const optimizer: Optimizer = { name: 'adam' }

export interface ContestantOptions {
  readonly build: (network: Network) => string
  readonly loss: Loss
  readonly opset?: number
}

export async function openContestant({ build, loss, opset = 20 }: ContestantOptions): Promise<Contestant> {
  const network = openNetwork({ seed: 1, opset })
  const model = network.bytes(build(network))
  const { batch } = network
  const training = await buildTrainingGraph(model, { loss, batch }, evaluate)
  const feeds = feedsOf(training, batch)
  const target = feeds.get(training.target.name) as Tensor
  const session = await openSessionOf(training.bytes, { threads: 1 })
  const run = openTrainingSteps({ training, optimizer, session, seed: 1 })
  const { graph } = fromBinary(ModelProtoSchema, model)
  const opened = () => ({
    graph: graph && toJson(GraphProtoSchema, graph),
    loss,
    trained: training.weights.tensors.map(({ name }) => name),
    inputs: Object.fromEntries([...batch].map(([name, tensor]) => [name, inJson(tensor)])),
    target: inJson(target),
    masks: training.masks.map(({ input }) => inJson(feeds.get(input) as Tensor)),
  })
  return {
    async rate(seconds) {
      await run.step(batch, target.data, 0.001)
      const began = performance.now()
      const before = process.cpuUsage()
      let steps = 0
      while (performance.now() - began < seconds * 1_000) {
        await run.step(batch, target.data, 0.001)
        steps += 1
      }
      const { user, system } = process.cpuUsage(before)
      return { perSecond: (steps * 1_000) / (performance.now() - began), cpuUs: (user + system) / steps }
    },
    async jaxRate(jax, seconds) {
      await jax.ask({ open: opened() })
      return (await jax.ask({ seconds })) as StepRate
    },
    async difference(jax) {
      const theirs = (await jax.ask({ open: opened() })) as Record<string, number[]>
      const own = (await evaluate(training.bytes, feeds)).get(training.gradients)?.data as Float32Array
      const all = training.weights.tensors.map(({ name }) => theirs[name] ?? [])
      if (all.flat().length !== own.length) throw new Error('JAX has other weights')
      const least = largestOf(all.flat()) / 100
      const differences = all.map((gradients, tensor) => {
        const offset = training.weights.tensors[tensor]?.offset ?? 0
        const difference = largestOf(gradients.map((each, at) => each - (own[offset + at] as number)))
        return difference / Math.max(least, largestOf(gradients))
      })
      return Math.max(...differences)
    },
  }
}

const largestOf = (numbers: readonly number[]) => numbers.reduce((most, each) => Math.max(most, Math.abs(each)), 0)

const inJson = ({ dtype, shape, data }: Tensor) => {
  const { buffer, byteOffset, byteLength } = data as Float32Array
  return { dtype, shape, text: Buffer.from(buffer, byteOffset, byteLength).toString('base64') }
}
