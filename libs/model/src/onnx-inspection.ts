/** What is found out about an uploaded ONNX file before it becomes a model, without ONNX Runtime. */
import { excerpt } from './excerpt.ts'
import type { TensorSpec } from './manifest.ts'
import { type NotCarried, OnnxInvalid, readOnnx } from './onnx-file.ts'
import { FUNCTION, type MessageName, MODEL, NODE, OPSET, submessage } from './onnx-schema.ts'
import { type Field, fieldsOf, LENGTH, textOf } from './protobuf.ts'
import { MOST_NAME, MOST_RANK } from './tensor-limits.ts'

export interface OnnxInspection {
  readonly inputs: readonly TensorSpec[]
  readonly outputs: readonly TensorSpec[]
  /** Names of the outputs that no task can ask for, with the reason. */
  readonly hiddenOutputs: Readonly<Record<string, string>>
  /** Versions of the operator sets that it imports, by domain; the default one is `ai.onnx`. */
  readonly opsets: Readonly<Record<string, number>>
  /** Operators of its graphs and functions, sorted; those of other domains than the default one with their domain. */
  readonly operators: readonly string[]
}

/** Inputs, and outputs, that a model may have. */
const MOST_VALUES = 1_000
const MOST_OPERATORS = 1_000
/** UTF-8 bytes of JSON. The first is in every list of models, the second in the model's document. */
const MOST_SIGNATURE = 65_536
const MOST_INSPECTION = 262_144

/** What ONNX Runtime says of it (onnxruntime-node 1.30, `js/node/src/tensor_helper.cc`). */
const NOT_TENSOR = 'the Node binding of ONNX Runtime says "Non tensor type is temporarily not supported"'
const ONLY_TENSORS =
  'the Node binding of ONNX Runtime passes tensors alone: the runtime says that it "expected" another type "but received a tensor"'

/** Domains whose operators ONNX Runtime registers by itself; the empty one is the default. */
const DOMAINS: ReadonlySet<string> = new Set([
  '',
  'ai.onnx',
  'ai.onnx.ml',
  'ai.onnx.training',
  'ai.onnx.preview.training',
  'com.microsoft',
  'com.microsoft.nchwc',
  'com.ms.internal.nhwc',
])

/** Throws `OnnxInvalid`, which names what is refused. */
export function inspectOnnx(bytes: Uint8Array): OnnxInspection {
  const { inputs, outputs, notCarried, refused } = readOnnx(bytes)
  if (refused) throw new OnnxInvalid(refused)
  checkValues(inputs, outputs)
  if (notCarried.length > MOST_VALUES)
    throw new OnnxInvalid(`it has more than ${MOST_VALUES} values that are no tensors`)
  const [unusable] = notCarried.filter(isUnusable)
  if (unusable) throw new OnnxInvalid(`its ${described(unusable)}, and that is not carried: ${reasonOf(unusable)}`)
  if (outputs.length === 0) {
    const [first] = notCarried
    throw new OnnxInvalid(
      first ? `its ${described(first)}, and that can't be passed out: ${reasonOf(first)}` : 'it has no outputs',
    )
  }
  const { opsets, operators } = readOperators(bytes)
  const hiddenOutputs = Object.fromEntries(
    notCarried.map(value => [excerpt(value.name, MOST_NAME), `it is ${value.type}: ${reasonOf(value)}`]),
  )
  requireSize('its inputs and outputs', { inputs, outputs }, MOST_SIGNATURE)
  const inspection = { inputs, outputs, hiddenOutputs, opsets, operators }
  requireSize('its inputs, outputs and operators', inspection, MOST_INSPECTION)
  return inspection
}

function requireSize(what: string, found: object, most: number): void {
  if (Buffer.byteLength(JSON.stringify(found)) <= most) return
  throw new OnnxInvalid(`the names, types and shapes of ${what} take more than ${most / 1024} KiB`)
}

function checkValues(inputs: readonly TensorSpec[], outputs: readonly TensorSpec[]): void {
  for (const [role, values] of Object.entries({ input: inputs, output: outputs })) {
    if (values.length > MOST_VALUES) throw new OnnxInvalid(`it has more than ${MOST_VALUES} ${role}s`)
    const names = new Set<string>()
    for (const { name, shape } of values) {
      if (name === '') throw new OnnxInvalid(`one of its ${role}s has no name`)
      if (name.length > MOST_NAME) throw new OnnxInvalid(`the name of one of its ${role}s is longer than ${MOST_NAME}`)
      if (names.has(name)) throw new OnnxInvalid(`it has two ${role}s named \`${excerpt(name)}\``)
      names.add(name)
      if (shape.length > MOST_RANK) {
        throw new OnnxInvalid(`its ${role} \`${excerpt(name)}\` has more than ${MOST_RANK} dimensions`)
      }
    }
  }
}

const described = ({ role, name, type }: NotCarried) => `${role} \`${excerpt(name)}\` is ${type}`

/** With an output of a type that the binding does not know it does not even load the model. */
const isUnusable = ({ role, type }: NotCarried) => role === 'input' || (isTensor(type) && !isFourBits(type))

const isTensor = (type: string) => type.startsWith('a tensor of ')
const isFourBits = (type: string) => /^a tensor of u?int4$/.test(type)

function reasonOf({ role, type }: NotCarried): string {
  if (!isTensor(type)) return role === 'input' ? ONLY_TENSORS : NOT_TENSOR
  if (type.includes('complex')) return `ONNX Runtime says "MLDataType for ${type.slice('a '.length)} is not registered"`
  return isFourBits(type)
    ? `the Node binding of ONNX Runtime says "Tensor.type is not supported: ${type.slice('a tensor of '.length)}"`
    : 'the Node binding of ONNX Runtime says "Unsupported data type"'
}

/** An operator or a function, by domain and name. */
interface Named {
  readonly domain: string
  readonly name: string
}

/** All of them are in the record of a model. */
const MOST_OPSETS = 64

function readOperators(bytes: Uint8Array): Pick<OnnxInspection, 'opsets' | 'operators'> {
  const opsets: Record<string, number> = {}
  const functions = new Set<string>()
  for (const field of fieldsOf(bytes, 0, bytes.length)) {
    if (field.wire !== LENGTH) continue
    if (field.number === MODEL.opsetImport) {
      const { domain, version } = readOpset(bytes, field)
      opsets[domain] = version
      if (Object.keys(opsets).length > MOST_OPSETS) throw new OnnxInvalid(`it has more than ${MOST_OPSETS} opsets`)
    } else if (field.number === MODEL.function) functions.add(keyOf(readNamed(bytes, field, FUNCTION)))
  }
  const used = new Set<string>()
  for (const node of nodesOf(bytes, 'model', 0, bytes.length)) {
    const operator = readNamed(bytes, node, { name: NODE.operator, domain: NODE.domain })
    if (functions.has(keyOf(operator))) continue
    if (!DOMAINS.has(operator.domain)) {
      throw new OnnxInvalid(
        `it has the operator ${excerpt(operator.name)} of the domain ${excerpt(operator.domain)}: custom operators are not loaded`,
      )
    }
    used.add(shownAs(operator))
    if (used.size > MOST_OPERATORS) throw new OnnxInvalid(`it has more than ${MOST_OPERATORS} different operators`)
  }
  return { opsets, operators: [...used].sort() }
}

function readOpset(bytes: Uint8Array, { start, end }: Field) {
  let domain = ''
  let version = 0
  for (const field of fieldsOf(bytes, start, end)) {
    if (field.number === OPSET.domain) domain = textOf(bytes, field)
    if (field.number === OPSET.version) version = field.value
  }
  if (domain.length > MOST_NAME) throw new OnnxInvalid('the domain of an operator set has a very long name')
  if (!(version >= 1 && version < 2 ** 31)) {
    throw new OnnxInvalid(`the version of the operator set ${excerpt(domain) || 'ai.onnx'} is not one of ONNX`)
  }
  return { domain: domain || 'ai.onnx', version }
}

/** Every NodeProto, however deeply its graph is nested. `readOnnx` has checked the structure before. */
function* nodesOf(bytes: Uint8Array, name: MessageName, start: number, end: number): Generator<Field> {
  for (const field of fieldsOf(bytes, start, end)) {
    const child = submessage(name, field.number)
    if (child === undefined || child.of === 'tensor' || child.of === 'type') continue
    if (child.of === 'node') yield field
    yield* nodesOf(bytes, child.of, field.start, field.end)
  }
}

function readNamed(bytes: Uint8Array, { start, end }: Field, at: { readonly name: number; readonly domain: number }) {
  let name = ''
  let domain = ''
  for (const field of fieldsOf(bytes, start, end)) {
    if (field.wire !== LENGTH) continue
    if (field.number === at.name) name = textOf(bytes, field)
    if (field.number === at.domain) domain = textOf(bytes, field)
  }
  if (name.length > MOST_NAME) throw new OnnxInvalid('one of its operators has a very long name')
  return { name, domain }
}

const keyOf = ({ domain, name }: Named) => `${domain === 'ai.onnx' ? '' : domain}\n${name}`

const shownAs = ({ domain, name }: Named) => (domain === '' || domain === 'ai.onnx' ? name : `${domain}.${name}`)
