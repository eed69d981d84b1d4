/** The inputs of examples as tensors. */
import { type Dtype, excerpt, InputInvalid, isObject, numberAs, readTensors, type Tensor } from '@millhand/model'
import { ExamplesInvalid } from './example-set.ts'
import { type GrowingElements, growingElements } from './growing-elements.ts'
import type { TrainableModel } from './trainable-model.ts'

export interface InputReader {
  /** Reads the input of one example: all of its fields but the target. Throws `ExamplesInvalid`. */
  add(fields: Readonly<Record<string, unknown>>, place: Place): Promise<void> | void
  tensors(count: number): ReadonlyMap<string, Tensor>
}

interface Place {
  readonly line: number
  /** In a table each number may have a column of its own. */
  readonly isTable: boolean
}

/** Of all inputs of all examples. */
const MOST_ELEMENTS = 2 ** 26

type NumberType = Exclude<Dtype, 'string'>

/** What all examples have of one input of the model. */
interface Collected {
  readonly name: string
  readonly dtype: NumberType
  /** Without the axis of examples, as the model lists it; undefined where it lists none. */
  readonly listed: readonly number[] | undefined
  readonly elements: GrowingElements
  /** Of the first example. */
  shape: readonly number[] | undefined
}

export function openInputs(model: TrainableModel): InputReader {
  const inputs = model.inputs.map(({ name, dtype, shape }): Collected => {
    if (dtype === 'string')
      throw new ExamplesInvalid(`the input \`${excerpt(name)}\` of the model is text, on which no training is done yet`)
    return {
      name,
      dtype,
      listed: shape.length > 0 ? shape.slice(1) : undefined,
      elements: growingElements(dtype),
      shape: undefined,
    }
  })
  let count = 0
  const take = (input: Collected, values: readonly unknown[], shape: readonly number[], where: ValuePlace) => {
    const fits = input.shape ?? input.listed
    const isSame =
      fits === undefined || (fits.length === shape.length && fits.every((n, axis) => n === -1 || n === shape[axis]))
    if (!isSame) {
      const wanted = input.shape ? 'the examples before have' : 'the model takes'
      const those = `shape [${fits?.join(', ')}]${fits?.includes(-1) ? ' (-1: any)' : ''}`
      throw new ExamplesInvalid(
        `the input \`${excerpt(input.name)}\` has shape [${shape.join(', ')}]; ${wanted} ${those}`,
        where,
      )
    }
    input.shape = shape
    if (values.length === 0) throw new ExamplesInvalid(`the input \`${excerpt(input.name)}\` is empty`, where)
    count += values.length
    if (count > MOST_ELEMENTS)
      throw new ExamplesInvalid(`the inputs have more than ${MOST_ELEMENTS} numbers up to here`, where)
    for (const [at, value] of values.entries()) {
      const column = where.columns?.[at] ?? where.column
      input.elements.push(elementOf(value, { model, dtype: input.dtype, at, line: where.line, column }))
    }
  }
  return {
    add(fields, { line, isTable }) {
      const { input, ...others } = fields
      const names = Object.keys(others)
      if (input === undefined && isTable) {
        const numbers = names.map(name => cellNumber(others[name], { line, column: name }))
        const [only] = oneInput(inputs, { line })
        take(only, numbers, shapeOfColumns(model, only, numbers.length, line), {
          line,
          column: 'input',
          columns: names,
        })
        return
      }
      if (names[0] !== undefined) {
        throw new ExamplesInvalid('is not known; an example has `input` and `label` or `target`', {
          line,
          column: excerpt(names[0]),
        })
      }
      if (input === undefined || input === null) throw new ExamplesInvalid('is missing', { line, column: 'input' })
      const where = { line, column: 'input' }
      const value = typeof input === 'string' ? parse(input, where) : input
      if (Array.isArray(value) || ArrayBuffer.isView(value)) {
        const [only] = oneInput(inputs, where)
        const { values, shape } = flatten(Array.isArray(value) ? value : Array.from(value as Float32Array), where)
        take(only, values, shapeOfList(model, only, shape), where)
        return
      }
      for (const [at, tensor] of namedTensors(value, inputs, where).entries()) {
        const { values, shape } = tensor
        take(inputs[at] as Collected, values, shape, where)
      }
    },
    tensors: examples =>
      new Map(
        inputs.map(({ name, dtype, shape = [], elements }) => [
          name,
          { dtype, shape: [examples, ...shape], data: elements.done() },
        ]),
      ),
  }
}

interface ValuePlace {
  readonly line: number
  readonly column: string
  /** Of each value. */
  readonly columns?: readonly string[]
}

function oneInput(inputs: readonly Collected[], where: { readonly line: number }): [Collected] {
  const [only] = inputs
  if (only && inputs.length === 1) return [only]
  const names = excerpt(inputs.map(({ name }) => name).join(', '), 128)
  throw new ExamplesInvalid(`must be an object with the tensors ${names}`, { ...where, column: 'input' })
}

/** Cells of CSV are text. */
function cellNumber(cell: unknown, where: ValuePlace): unknown {
  if (cell === undefined) throw new ExamplesInvalid('is missing', where)
  return typeof cell === 'string' && cell.trim() !== '' && Number.isFinite(Number(cell)) ? Number(cell) : cell
}

function shapeOfColumns(model: TrainableModel, input: Collected, columns: number, line: number): readonly number[] {
  const wanted = fixedShape(model, input)
  if (wanted === undefined || sizeOf(wanted) === columns) return wanted ?? [columns]
  const message = `the table has ${columns} columns beside the target; the model takes ${sizeOf(wanted)} numbers`
  throw new ExamplesInvalid(message, { line })
}

/** A flat list of as many numbers as the model takes has the model's shape. */
function shapeOfList(model: TrainableModel, input: Collected, shape: readonly number[]): readonly number[] {
  const wanted = fixedShape(model, input)
  return wanted !== undefined && shape.length === 1 && shape[0] === sizeOf(wanted) ? wanted : shape
}

function fixedShape({ numbers }: TrainableModel, { listed }: Collected): readonly number[] | undefined {
  const wanted = numbers?.shape ?? listed
  return wanted?.every(length => length >= 0) ? wanted : undefined
}

const sizeOf = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1)

function parse(text: string, where: ValuePlace): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ExamplesInvalid(`is not JSON: ${excerpt((error as Error).message, 128)}`, where)
  }
}

/** Lists in lists, row by row. */
function flatten(list: readonly unknown[], where: ValuePlace): { values: unknown[]; shape: readonly number[] } {
  let values: readonly unknown[] = list
  const shape = [list.length]
  while (Array.isArray(values[0])) {
    const { length } = values[0]
    const isEven = values.every(row => Array.isArray(row) && row.length === length)
    if (!isEven || shape.length === 8) throw new ExamplesInvalid('its lists are not all of the same length', where)
    values = (values as unknown[][]).flat()
    shape.push(length)
  }
  return { values: values as unknown[], shape }
}

/** As `input` of an inference has them, with a first axis of 1. */
function namedTensors(value: unknown, inputs: readonly Collected[], where: ValuePlace) {
  if (!isObject(value)) throw new ExamplesInvalid('must be a list of numbers or an object of named tensors', where)
  const tensors = readNamed(value, where)
  const wrong = [...tensors.keys()].find(name => !inputs.some(input => input.name === name))
  if (wrong !== undefined) throw new ExamplesInvalid(`the model has no input \`${excerpt(wrong)}\``, where)
  return inputs.map(({ name, dtype }) => {
    const tensor = tensors.get(name)
    const shown = `the tensor \`${excerpt(name)}\``
    if (!tensor) throw new ExamplesInvalid(`${shown} is missing`, where)
    if (tensor.dtype !== dtype) throw new ExamplesInvalid(`${shown} must be ${dtype}, not ${tensor.dtype}`, where)
    if (tensor.shape[0] !== 1)
      throw new ExamplesInvalid(`${shown} must have 1 in its first axis: an example is one row`, where)
    return { values: Array.from(tensor.data as Float32Array) as unknown[], shape: tensor.shape.slice(1) }
  })
}

function readNamed(value: Readonly<Record<string, unknown>>, where: ValuePlace): ReadonlyMap<string, Tensor> {
  try {
    return readTensors(JSON.stringify(value)).tensors
  } catch (error) {
    if (error instanceof RangeError) throw new ExamplesInvalid('is nested too deeply', where)
    throw error instanceof InputInvalid ? new ExamplesInvalid(error.message, where) : error
  }
}

interface ElementPlace {
  readonly model: TrainableModel
  readonly dtype: NumberType
  readonly at: number
  readonly line: number
  readonly column: string
}

function elementOf(value: unknown, { model: { numbers }, dtype, at, line, column }: ElementPlace): number | bigint {
  const number = typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    const shown =
      typeof value === 'string'
        ? `"${excerpt(value)}"`
        : Array.isArray(value)
          ? 'a list'
          : `${typeof value === 'object' ? (value === null ? 'null' : 'an object') : value}`
    throw new ExamplesInvalid(`number ${at} is ${shown}, which is no finite number`, { line, column })
  }
  if (numbers && !(number >= numbers.min && number <= numbers.max)) {
    throw new ExamplesInvalid(`number ${at} is ${number}; the model takes from ${numbers.min} to ${numbers.max}`, {
      line,
      column,
    })
  }
  const element = numberAs(dtype, numbers ? number * numbers.scale : number)
  const isWhole = dtype.startsWith('float') || Number.isInteger(number)
  if (element === undefined || !isWhole)
    throw new ExamplesInvalid(`number ${at} is ${number}, which is no ${dtype}`, { line, column })
  return element
}
