/** Strict reading of JSON objects: every complaint names the field. */
import { excerpt } from './excerpt.ts'
import { isObject } from './is-object.ts'

/** A document that does not say what it must; `message` names the field. */
export class ManifestInvalid extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ManifestInvalid'
  }
}

/** Reads an object field by field; `done()` refuses fields that nobody asked for. All throw `ManifestInvalid`. */
export class Fields {
  readonly #path: string
  readonly #record: Map<string, unknown>
  readonly #left: Set<string>

  /** `path` is where the object stands in its document, empty at the root. */
  constructor(value: unknown, path = '') {
    const name = path === '' ? 'the document' : `\`${excerpt(path)}\``
    if (!isObject(value)) throw new ManifestInvalid(`${name} must be an object`)
    this.#path = path
    this.#record = new Map(Object.entries(value))
    this.#left = new Set(this.#record.keys())
  }

  has(key: string): boolean {
    return this.#record.has(key)
  }

  string(key: string, fallback?: string): string {
    const value = this.#take(key) ?? fallback
    return typeof value === 'string' && value !== '' ? value : this.fail(key, 'must be a string that is not empty')
  }

  boolean(key: string, fallback: boolean): boolean {
    const value = this.#take(key) ?? fallback
    return typeof value === 'boolean' ? value : this.fail(key, 'must be true or false')
  }

  /** A number from `min` to `max`. */
  number(key: string, min: number, max: number, fallback?: number): number {
    const value = this.#take(key) ?? fallback
    const fits = typeof value === 'number' && value >= min && value <= max
    return fits ? value : this.fail(key, `must be a number from ${min} to ${max}`)
  }

  integer(key: string, min: number, max: number, fallback?: number): number {
    const value = this.number(key, min, max, fallback)
    return Number.isInteger(value) ? value : this.fail(key, 'must be a whole number')
  }

  oneOf<T extends string>(key: string, words: readonly T[], fallback?: T): T {
    const value = this.#take(key) ?? fallback
    return words.find(word => word === value) ?? this.fail(key, `must be one of ${words.join(', ')}`)
  }

  strings(key: string): string[] | undefined {
    const value = this.#take(key)
    if (value === undefined || isListOf<string>(value, 'string')) return value
    return this.fail(key, 'must be a list of strings')
  }

  numbers(key: string, length?: number): number[] | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (!isListOf<number>(value, 'number')) return this.fail(key, 'must be a list of numbers')
    return length === undefined || value.length === length ? value : this.fail(key, `must have ${length} numbers`)
  }

  /** An object of any keys, whose values `each` reads. */
  map<T>(key: string, each: (value: unknown, path: string) => T): Record<string, T> | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (!isObject(value)) return this.fail(key, 'must be an object')
    const entries = Object.entries(value).map(([name, item]) => [name, each(item, `${this.#nameOf(key)}.${name}`)])
    return Object.fromEntries(entries) as Record<string, T>
  }

  object<T>(key: string, each: (item: Fields) => T): T | undefined {
    const value = this.#take(key)
    return value === undefined ? undefined : whole(new Fields(value, this.#nameOf(key)), each)
  }

  objects<T>(key: string, each: (item: Fields) => T): T[] | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.fail(key, 'must be a list of objects')
    return value.map((item, index) => whole(new Fields(item, `${this.#nameOf(key)}[${index}]`), each))
  }

  done(): void {
    const [unknown] = this.#left
    if (unknown !== undefined) this.fail(unknown, 'is not known here')
  }

  fail(key: string, must: string): never {
    throw new ManifestInvalid(`\`${excerpt(this.#nameOf(key))}\` ${must}`)
  }

  #take(key: string): unknown {
    this.#left.delete(key)
    return this.#record.get(key)
  }

  #nameOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`
  }
}

function whole<T>(item: Fields, each: (item: Fields) => T): T {
  const value = each(item)
  item.done()
  return value
}

function isListOf<T>(value: unknown, type: 'string' | 'number'): value is T[] {
  return Array.isArray(value) && value.every(each => typeof each === type)
}
