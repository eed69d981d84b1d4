/** Random messages, most of whose values lie at the borders of their rules. */
import { create, type DescField, type DescMessage, getOption, type Message, ScalarType } from '@bufbuild/protobuf'
import { type FieldRules, field as rulesOption } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'

export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** Whether something of this probability happens. */
  is(probability: number): boolean
  one<T>(of: readonly T[]): T
}

/** Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, is: probability => next() < probability, one: of => of[Math.floor(next() * of.length)] as never }
}

/** `wrong` is the probability that a value is chosen without regard to its rules. */
export function randomMessage(desc: DescMessage, random: Random, wrong: number, depth = 0): Message {
  const message = create(desc)
  const values = message as unknown as Record<string, unknown>
  for (const field of desc.fields) {
    if (field.oneof !== undefined) continue
    if (isOptional(field) && random.is(isRequired(field) ? wrong : 0.3)) continue
    values[field.localName] = fieldValue(field, random, wrong, depth)
  }
  for (const { localName, fields } of desc.oneofs) {
    const field = random.is(wrong) ? undefined : random.one(fields)
    if (field) values[localName] = { case: field.localName, value: fieldValue(field, random, wrong, depth) }
  }
  return message
}

const isOptional = (field: DescField) => field.fieldKind === 'message' || field.proto.proto3Optional
const isRequired = (field: DescField) => getOption(field, rulesOption).required

function fieldValue(field: DescField, random: Random, wrong: number, depth: number): unknown {
  const rules = getOption(field, rulesOption)
  const least = rules.required ? 1 : 0
  switch (field.fieldKind) {
    case 'message':
      return messageValue(field.message, random, wrong, depth)
    case 'list': {
      const items = rules.type.case === 'repeated' ? rules.type.value.items : undefined
      const length = entryCount(rules, random, wrong)
      // A long list repeats its items: what is looked at is how many there are.
      const different = Array.from({ length: Math.min(length, 3) }, (_, at) =>
        field.listKind === 'message'
          ? messageValue(field.message, random, wrong, depth)
          : singular(field, items, random, wrong, at),
      )
      return Array.from({ length }, (_, at) => different[at % 3])
    }
    case 'map': {
      const { keys, values } = rules.type.case === 'map' ? rules.type.value : {}
      const length = entryCount(rules, random, wrong)
      const entries = Array.from({ length }, (_, at): [string, unknown] => [
        at < 2 ? text(keys, random, wrong, 1) : `k${at}`,
        field.mapKind === 'scalar' ? singular(field, values, random, wrong, 0) : 0,
      ])
      return Object.fromEntries(entries)
    }
    default:
      return singular(field, rules, random, wrong, least)
  }
}

function messageValue(desc: DescMessage, random: Random, wrong: number, depth: number): unknown {
  if (desc.typeName === 'google.protobuf.Struct') return { a: 1 }
  return desc.typeName.startsWith('google.protobuf.') || depth > 5
    ? create(desc)
    : randomMessage(desc, random, wrong, depth + 1)
}

function entryCount(rules: FieldRules, random: Random, wrong: number): number {
  const { type } = rules
  const least = Number(type.case === 'repeated' ? type.value.minItems : type.case === 'map' ? type.value.minPairs : 0n)
  const bound = Number(type.case === 'repeated' ? type.value.maxItems : type.case === 'map' ? type.value.maxPairs : 0n)
  const most = bound || 3
  const usual = [0, 1, 1, 2, 3].filter(count => count <= most)
  if (bound > 0 && random.is(0.02))
    return random.one(most <= 100 ? [most - 1, most, most + 1] : [Math.min(most, 101), most + 1])
  if (random.is(wrong)) return random.one(usual)
  return random.one(usual.filter(count => count >= Math.max(least, rules.required ? 1 : 0)))
}

function singular(
  field: DescField,
  rules: FieldRules | undefined,
  random: Random,
  wrong: number,
  least: number,
): unknown {
  if (field.enum !== undefined) return enumValue(field, rules, random, wrong)
  switch (field.scalar) {
    case ScalarType.STRING:
      return text(rules, random, wrong, least)
    case ScalarType.BOOL:
      return random.is(0.5)
    case ScalarType.BYTES:
      return bytes(rules, random, wrong)
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random.is(wrong)
        ? random.one([-1, -0, Number.NaN, Number.POSITIVE_INFINITY, 1.1])
        : random.one([0, 0.5, 1])
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return BigInt(number(rules, random, wrong))
    default:
      return number(rules, random, wrong)
  }
}

function enumValue(field: DescField, rules: FieldRules | undefined, random: Random, wrong: number): number {
  const numbers = field.enum?.values.map(value => value.number) ?? []
  if (random.is(wrong)) return random.one([...numbers, 0, 99, -1])
  const none: { in: number[]; notIn: number[] } = { in: [], notIn: [] }
  const { in: only, notIn } = rules?.type.case === 'enum' ? rules.type.value : none
  return random.one(
    numbers.filter(each => each !== 0 && (only.length === 0 || only.includes(each)) && !notIn.includes(each)),
  )
}

function number(rules: FieldRules | undefined, random: Random, wrong: number): number {
  const type = rules?.type
  const [low, high] =
    type?.case === 'uint32' || type?.case === 'int32' || type?.case === 'uint64' || type?.case === 'int64'
      ? [Number(type.value.greaterThan.value ?? 0), Number(type.value.lessThan.value ?? 1_000)]
      : [0, 1_000]
  const right = [low, low + 1, high - 1, high].filter(each => each !== 0 && each <= high)
  const least = type?.case === 'int32' || type?.case === 'int64' ? low - 1 : Math.max(0, low - 1)
  return random.one(random.is(wrong) ? [0, least, high + 1, ...right] : right)
}

const blank = new Map<number, Uint8Array>()

function bytes(rules: FieldRules | undefined, random: Random, wrong: number): Uint8Array {
  const { len, maxLen } = rules?.type.case === 'bytes' ? rules.type.value : { len: 0n, maxLen: 0n }
  const border = Number(len || maxLen || 2n)
  const length = random.is(wrong) ? random.one([0, border - 1, border, border + 1]) : border
  const known = blank.get(length) ?? new Uint8Array(length)
  blank.set(length, known)
  return known
}

/** Texts that one or another pattern takes, and near misses. */
const samples = [
  'a', 'ab', 'A', '0', '-', '_', 'exec-1', 'live/onnx', 'test/batch-cuda', 'prod/onnx', 'acct_0a/live', 'acct_/test', 'task_01k',
  'task_01k/3', 'task_01k/', `file_${'a'.repeat(26)}`, `file_${'a'.repeat(27)}`, '2026-01-31', '26-1-1', 'nvidia-h100-80gb', 'webgpu',
  'en', 'pt-BR', 'x-', 'text/plain', 'text/plain; a=b', 'text/plain; ', 'run_timeout', 'onnx', '__proto__', 'a\n', ' ', 'é', '😀', '\ud800',
  'a\udc00', 'a/b', '\\', '\u0000', 'toString',
  '*', `acct_${'a'.repeat(26)}`, `acct_${'a'.repeat(26)}/live`, 'a.B/*', 'a.v1.B/C', 'a.B/',
] // biome-ignore format: a table

/** `least`: as if the rules said so of its length. */
function text(rules: FieldRules | undefined, random: Random, wrong: number, least: number): string {
  const none = { len: 0n, minLen: 0n, maxLen: 0n, maxBytes: 0n, pattern: '', in: [] as string[] }
  const { len, minLen, maxLen, maxBytes, pattern, in: only } = rules?.type.case === 'string' ? rules.type.value : none
  const min = Math.max(Number(len || minLen), least)
  const max = Number(len || maxLen || maxBytes || 8n)
  if (random.is(wrong)) {
    const length = random.one([
      0,
      min - 1,
      min,
      max - 1,
      max,
      max + 1,
      ...(max < 3_000 || random.is(0.02) ? [2 * max, 2 * max + 1] : []),
    ])
    return random.is(0.5)
      ? random.one(samples)
      : repeated(random.one(['a', 'é', '😀', '\ud800', '0']), Math.max(0, length))
  }
  if (only.length > 0) return random.one(only)
  const right = samples.filter(each => pattern === '' || matches(pattern, each))
  const isBounded = len > 0n || maxLen > 0n || maxBytes > 0n
  const fitting = right.filter(each => [...each].length >= min && (!isBounded || [...each].length <= max))
  return fitting.length > 0 ? random.one(fitting) : 'a'.repeat(min)
}

const known = new Map<string, string>()

/** The same text for the same words: those of half a megabyte are made once. */
function repeated(unit: string, length: number): string {
  const key = `${unit}${length}`
  const made = known.get(key) ?? unit.repeat(length)
  known.set(key, made)
  return made
}

const compiled = new Map<string, RegExp>()

function matches(pattern: string, each: string): boolean {
  const found = compiled.get(pattern) ?? new RegExp(pattern, 'u')
  compiled.set(pattern, found)
  return found.test(each)
}
