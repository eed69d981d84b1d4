/** Batches of examples. Examples are tensors whose first axis counts them. */
import type { ElementArray, Tensor } from '@millhand/model'
import { randomAt } from './counter-random.ts'

/** The examples of each step of an epoch, in an order by seed. Those that make no whole batch are left out of this epoch. */
export function batchesOf(
  count: number,
  size: number,
  { seed, epoch }: { seed: number; epoch: number },
): Uint32Array[] {
  const order = shuffled(count, { seed, stream: ORDER, epoch })
  return Array.from({ length: Math.floor(count / size) }, (_, at) => order.subarray(at * size, (at + 1) * size))
}

/** Some of the examples, in this order. */
export function takeExamples({ dtype, shape, data }: Tensor, chosen: Uint32Array): Tensor {
  const [, ...rest] = shape
  const size = rest.reduce((product, length) => product * length, 1)
  const from = data as Float32Array
  const taken = new (from.constructor as Float32ArrayConstructor)(chosen.length * size)
  for (const [at, example] of chosen.entries()) {
    taken.set(from.subarray(example * size, (example + 1) * size), at * size)
  }
  return { dtype, shape: [chosen.length, ...rest], data: taken as ElementArray }
}

/** Streams of random numbers; those of dropout are counted from 0. */
const ORDER = 0xffff_ffff
export const SPLIT = 0xffff_fffe
export const ADAPTERS = 0xffff_fffd

/** The numbers below `count` in an order by seed: Fisher and Yates, as Durstenfeld wrote it (algorithm 235, 1964). */
export function shuffled(
  count: number,
  { seed, stream, epoch }: { seed: number; stream: number; epoch: number },
): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, at) => at)
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor((randomAt(seed, stream, epoch, last) / 2 ** 32) * (last + 1))
    const example = order[last] as number
    order[last] = order[other] as number
    order[other] = example
  }
  return order
}
