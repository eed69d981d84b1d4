/** The targets of examples as a tensor: classes, or numbers. */
import { excerpt, type Tensor } from '@millhand/model'
import type { Loss } from '../loss.ts'
import { ExamplesInvalid } from './example-set.ts'
import { growingElements } from './growing-elements.ts'
import { outputWidth, type TrainableModel } from './trainable-model.ts'

export interface TargetReader {
  /** Reads the target of one example. Throws `ExamplesInvalid`. */
  add(value: unknown, place: Place): void
  /** Throws where all examples have one and the same class. */
  requireVariety(place: { readonly first: number } & Place): void
  tensor(count: number): Tensor
}

interface Place {
  readonly line: number
  readonly column: string
}

/** What the elements of targets are, for a loss. */
interface TargetKind {
  readonly dtype: 'int64' | 'float32'
  /** Elements of one example; undefined where the model does not fix it. */
  readonly width: number | undefined
  read(value: unknown): number | undefined
  readonly what: string
}

export function openTargets(model: TrainableModel, loss: Loss): TargetReader {
  const { dtype, width, read, what } = kindOf(model, loss)
  const elements = growingElements(dtype)
  let length = width
  let sole: number | undefined
  let isVaried = false
  return {
    add(value, place) {
      const values = listed(value)
      length ??= values.length
      if (values.length !== length) {
        throw new ExamplesInvalid(
          `has ${values.length} elements; the model and the examples before have ${length}`,
          place,
        )
      }
      for (const each of values) {
        const element = read(each)
        if (element === undefined) throw new ExamplesInvalid(`is ${shown(each)}; it must be ${what}`, place)
        elements.push(dtype === 'int64' ? BigInt(element) : element)
        isVaried ||= sole !== undefined && sole !== element
        sole = element
      }
    },
    requireVariety({ first, line, column }) {
      if (isVaried || loss === 'mean_squared') return
      const problem = `all examples from line ${first} on have one class; two are needed`
      throw new ExamplesInvalid(problem, { line, column, needsMore: true })
    },
    tensor: count => ({ dtype, shape: [count, length ?? 1], data: elements.done() }),
  }
}

/** Tables have lists as JSON. */
function listed(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string' || !value.startsWith('[')) return [value]
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) ? list : [value]
  } catch {
    return [value]
  }
}

function kindOf(model: TrainableModel, loss: Loss): TargetKind {
  const [{ shape } = { shape: [] }] = model.outputs
  const ends = loss === 'cross_entropy' ? shape.slice(1, -1) : shape.slice(1)
  const width = shape.length === 0 || ends.some(length => length < 0) ? undefined : ends.reduce((a, b) => a * b, 1)
  const named = (value: unknown) => {
    const at = typeof value === 'string' ? (model.labels?.indexOf(value.trim()) ?? -1) : -1
    return at < 0 ? undefined : at
  }
  const names = model.labels ? `, or one of ${excerpt(model.labels.join(', '), 128)}` : ''
  switch (loss) {
    case 'cross_entropy': {
      const classes = outputWidth(model)
      const isClass = (at: number | undefined) =>
        at !== undefined && Number.isInteger(at) && at >= 0 && at < (classes ?? 2 ** 31)
      const range = classes === undefined ? 'from 0' : `from 0 to ${classes - 1}`
      return {
        dtype: 'int64',
        width,
        read: value => [named(value), numberOf(value)].find(isClass),
        what: `a class, which is a whole number ${range}${names}`,
      }
    }
    case 'binary_cross_entropy':
      return {
        dtype: 'float32',
        width,
        read: value => [named(value), numberOf(value)].find(at => at === 0 || at === 1),
        what: `0 or 1, true or false${names}`,
      }
    case 'mean_squared':
      return {
        dtype: 'float32',
        width,
        read(value) {
          const number = numberOf(value)
          return number !== undefined && Number.isFinite(Math.fround(number)) ? number : undefined
        },
        what: 'a finite number',
      }
  }
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '') return undefined
  if (value === 'true' || value === 'false') return Number(value === 'true')
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${excerpt(value)}"`
  return typeof value === 'object' ? (value === null ? 'null' : 'a list or an object') : String(value)
}
