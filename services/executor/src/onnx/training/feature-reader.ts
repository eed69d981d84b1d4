/** Examples of text or pictures as features: a frozen model computes those of each example once, for all epochs. */
import { InputInvalid, type Tensor } from '@millhand/model'
import type { Session } from '@millhand/onnxruntime'
import { ExamplesInvalid, frozenInput, type InputReader, TrainingRefused } from '@millhand/training'
import type { Read } from '../processing/read-input.ts'

export interface FeatureReader extends InputReader {
  /** Numbers of each example. */
  width(): number
}

interface FeatureReaderOptions {
  readonly session: Pick<Session, 'run'>
  /** The output of the session that has them. */
  readonly features: string
  /** The input of the head that takes them. */
  readonly name: string
  /** Reads an input as the model's inference does. */
  readonly read: Read
  /** Of all examples, in their order: too many are refused at the first. */
  readonly lines: Uint32Array
  /** Told of each example; the next waits. */
  readonly onExample: (count: number) => Promise<void>
}

/** Of all examples. */
const MOST_NUMBERS = 2 ** 26

/** One example is run at a time: the sums of a larger batch may be taken in another order. */
export function featureReader({
  session,
  features,
  name,
  read,
  lines,
  onExample,
}: FeatureReaderOptions): FeatureReader {
  const rows: Float32Array[] = []
  const width = () => rows[0]?.length ?? 0
  return {
    width,
    async add(fields, { line }) {
      const tensors = await readInput(read, fields, line)
      const row = rowOf((await session.run(tensors)).get(features))
      rows.push(row)
      if (row.length !== width())
        throw new TrainingRefused(
          `it makes ${row.length} features of the input of line ${line}, and ${width()} of the first`,
        )
      const excess = lines[Math.floor(MOST_NUMBERS / width())]
      if (excess !== undefined) {
        const message = `the features have more than ${MOST_NUMBERS} numbers up to here`
        throw new ExamplesInvalid(message, { line: excess, column: 'input' })
      }
      await onExample(rows.length)
    },
    tensors(count) {
      const data = new Float32Array(count * width())
      for (const [at, row] of rows.entries()) data.set(row, at * width())
      return new Map([[name, { dtype: 'float32', shape: [count, width()], data }]])
    },
  }
}

/** The tensors of an example of text or a picture. Throws `ExamplesInvalid`. */
export async function readInput(
  read: Read,
  fields: Readonly<Record<string, unknown>>,
  line: number,
): Promise<ReadonlyMap<string, Tensor>> {
  const input = frozenInput(fields, line)
  try {
    return (await read(input)).tensors
  } catch (error) {
    throw error instanceof InputInvalid ? new ExamplesInvalid(error.message, { line, column: 'input' }) : error
  }
}

function rowOf(tensor: Tensor | undefined): Float32Array {
  const { dtype, shape, data } = tensor ?? { shape: [] }
  if (dtype === 'float32' && shape.length === 2 && shape[0] === 1 && shape[1] !== 0)
    return (data as Float32Array).slice()
  throw new TrainingRefused(`its features have the shape [${shape}] for one example; a row of float32 is needed`)
}
