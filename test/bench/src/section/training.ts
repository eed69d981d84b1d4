/**
 * Training on one thread, beside JAX: steps of two small networks, and the gradients of ten and of each operator. Steps
 * are counted in a second of processor time, which is a second where nothing else runs; `per_s` has those of the clock.
 */
import { convolution, dense, type Network, networkKinds, numberCases, placeCases } from '@millhand/training/fixture'
import { alternate } from '../alternate.ts'
import { type Figure, median } from '../figure.ts'
import { type CheckpointCost, checkpointCost } from '../training/checkpoint-cost.ts'
import { type ContestantOptions, openContestant, type StepRate } from '../training/contestant.ts'
import { type Jax, openJax } from '../training/jax.ts'
import type { Workbench } from '../workbench.ts'

/** The least share of JAX's steps that is wanted, and the largest difference of gradients in parts per million. */
const LEAST = 0.7
const MOST_PPM = 100
/** Percent of the time between two checkpoints that one may cost. */
const MOST_SHARE = 5

export async function* training({ seconds, rounds: times, folder }: Workbench): AsyncIterable<Figure> {
  yield await checkpoints(times, folder)
  await using jax = await openJax()
  if (!jax) {
    process.stderr.write(
      'JAX is not installed, so nothing is compared with it: `pip install jax` in an environment, and name its Python in BENCH_PYTHON.\n',
    )
  }
  if (jax) {
    yield await gradients(jax, 'networks', networkKinds)
    yield await gradients(jax, 'operators', operators)
  }
  for (const [name, network] of Object.entries(networks)) {
    const contestant = await openContestant({ build: network, loss: 'cross_entropy' })
    const { own, theirs } = await alternate(times, {
      own: () => contestant.rate(seconds),
      theirs: async () => (jax ? contestant.jaxRate(jax, seconds) : undefined),
    })
    const jaxRates = theirs.filter(each => each !== undefined)
    const rounds = (rates: readonly StepRate[]) => rates.map(({ cpuUs }) => 1e6 / cpuUs)
    const limit = { name: `JAX ${jax?.version}, jitted, one core`, rounds: rounds(jaxRates), leastRatio: LEAST }
    const perSecond = (rates: readonly StepRate[]) => median(rates.map(each => each.perSecond))
    const details = { per_s: perSecond(own), ...(jax && { jax_per_s: perSecond(jaxRates) }) }
    yield { section: 'training', name, unit: 'steps/CPU s', rounds: rounds(own), limits: jax ? [limit] : [], details }
  }
}

async function checkpoints(times: number, folder: () => string): Promise<Figure> {
  const costs: CheckpointCost[] = []
  for (let round = 0; round < times; round++) costs.push(await checkpointCost(folder()))
  return {
    section: 'training',
    name: 'checkpoints of 1.1 million weights, share of the time of a run',
    unit: '%',
    rounds: costs.map(({ share }) => share),
    aim: { most: MOST_SHARE },
    limits: [],
    details: { checkpoint_ms: median(costs.map(({ ms }) => ms)), checkpoint_mb: (costs[0]?.bytes ?? 0) / 1e6 },
  }
}

/** Each has one case or several. The details are parts per million, as the largest is. */
async function gradients(
  jax: Jax,
  what: string,
  kinds: Readonly<Record<string, ContestantOptions | readonly ContestantOptions[]>>,
): Promise<Figure> {
  const details: Record<string, number> = {}
  for (const [name, cases] of Object.entries(kinds)) {
    const differences: number[] = []
    for (const each of [cases].flat()) differences.push(await (await openContestant(each)).difference(jax))
    details[name] = Math.max(...differences) * 1e6
  }
  return {
    section: 'training',
    name: `gradients of ${Object.keys(details).length} ${what}, largest difference`,
    unit: 'ppm',
    rounds: [Math.max(...Object.values(details))],
    aim: { most: MOST_PPM },
    limits: [],
    details,
  }
}

/** The cases of each operator, of which the tests compare the gradients with finite differences. */
const operators = Object.groupBy(
  [...numberCases, ...placeCases].map(each => ({ ...each, loss: 'mean_squared' as const })),
  ({ operator }) => operator,
) as Record<string, ContestantOptions[]>

/** As for pictures of 8 × 8 in ten classes. */
const networks: Readonly<Record<string, (network: Network) => string>> = {
  'perceptron 64-256-128-10, batch 64, Adam'(network) {
    const first = network.node('Relu', [dense(network, network.input('x', [64, 64]), 64, 256)])
    return dense(network, network.node('Relu', [dense(network, first, 256, 128)]), 128, 10)
  },
  'convolutional network 8×8, batch 32, Adam'(network) {
    const same = { pads: [1n, 1n, 1n, 1n] }
    const halved = (x: string) => network.node('MaxPool', [x], { kernel_shape: [2n, 2n], strides: [2n, 2n] })
    const first = network.node('Relu', [convolution(network, network.input('x', [32, 1, 8, 8]), 1, 16, same)])
    const second = network.node('Relu', [convolution(network, halved(first), 16, 32, same)])
    return dense(network, network.node('Flatten', [halved(second)]), 128, 10)
  },
}
