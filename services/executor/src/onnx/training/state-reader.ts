/**
 * Texts as what goes into the upper layers of an encoder: the lower ones compute a vector for each token once, for all
 * epochs. A batch has one length, so each text is filled up to the longest of all.
 */
import type { Tensor } from '@millhand/model'
import type { Session } from '@millhand/onnxruntime'
import { ExamplesInvalid, type InputReader, type Layers, TrainingRefused } from '@millhand/training'
import type { Read } from '../processing/read-input.ts'
import { readInput } from './feature-reader.ts'

export interface StateReader extends InputReader {
  /** Of the longest text. */
  tokens(): number
}

interface StateReaderOptions {
  /** Runs the lower layers. */
  readonly session: Pick<Session, 'run'>
  readonly layers: Pick<Layers, 'states' | 'others'>
  readonly read: Read
  /** Of all examples, in their order: too many are refused at the first. */
  readonly lines: Uint32Array
  /** Told of each example; the next waits. */
  readonly onExample: (count: number) => Promise<void>
}

/** Of all examples, filled up: 32 MiB, and as much while they are copied. With 64 a run may need over 768 MiB at its end. */
export const MOST_STATE_NUMBERS = 2 ** 23

interface Row {
  readonly tokens: number
  readonly states: Float32Array
  /** In the order of the other inputs. */
  readonly others: readonly BigInt64Array[]
}

/** One example is run at a time: the sums of a larger batch may be taken in another order. */
export function stateReader({ session, layers, read, lines, onExample }: StateReaderOptions): StateReader {
  const rows: Row[] = []
  let longest = 0
  let width = 0
  return {
    tokens: () => longest,
    async add(fields, { line }) {
      const tensors = await readInput(read, fields, line)
      const states = (await session.run(tensors)).get(layers.states)
      const row = rowOf(states, tensors, layers)
      const own = row.states.length / row.tokens
      if (rows.length > 0 && own !== width)
        throw new TrainingRefused(`it makes ${own} numbers of a token of line ${line}, and ${width} of the first`)
      width = own
      longest = Math.max(longest, row.tokens)
      rows.push(row)
      const excess = lines[Math.floor(MOST_STATE_NUMBERS / (longest * width))]
      if (excess !== undefined) {
        const most = Math.floor(MOST_STATE_NUMBERS / width)
        const message = `the texts have over ${most} tokens up to here, each filled up to the ${longest} of the longest`
        throw new ExamplesInvalid(message, { line: Math.max(excess, line), column: 'input' })
      }
      await onExample(rows.length)
    },
    tensors(count) {
      const states = new Float32Array(count * longest * width)
      const others = layers.others.map(() => new BigInt64Array(count * longest))
      for (const [at, row] of rows.entries()) {
        states.set(row.states, at * longest * width)
        for (const [index, data] of others.entries()) data.set(row.others[index] as BigInt64Array, at * longest)
      }
      rows.length = 0
      return new Map<string, Tensor>([
        [layers.states, { dtype: 'float32', shape: [count, longest, width], data: states }],
        ...layers.others.map((name, index): [string, Tensor] => [
          name,
          { dtype: 'int64', shape: [count, longest], data: others[index] as BigInt64Array },
        ]),
      ])
    },
  }
}

function rowOf(
  states: Tensor | undefined,
  inputs: ReadonlyMap<string, Tensor>,
  layers: StateReaderOptions['layers'],
): Row {
  const { dtype, shape, data } = states ?? { shape: [] }
  const [texts, tokens = 0, width = 0] = shape
  if (dtype !== 'float32' || shape.length !== 3 || texts !== 1 || tokens * width === 0)
    throw new TrainingRefused(`its layers pass on the shape [${shape}] for one text; a vector for each token is needed`)
  const others = layers.others.map(name => {
    const found = inputs.get(name)
    if (found?.dtype !== 'int64' || found.data.length !== tokens)
      throw new TrainingRefused(`its input "${name}" has not one number for each token`)
    return found.data as BigInt64Array
  })
  return { tokens, states: (data as Float32Array).slice(), others }
}
