/** ONNX files as bytes, by hand: of models that no exporter writes. Field numbers are those of onnx.proto3. */

export const varint = (value: number): Buffer => {
  const bytes: number[] = []
  let left = BigInt(value)
  do {
    bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0))
    left >>= 7n
  } while (left > 0n)
  return Buffer.from(bytes)
}

export const field = (number: number, ...content: readonly (Uint8Array | string)[]): Buffer => {
  const bytes = Buffer.concat(content.map(part => Buffer.from(part as string)))
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

export const count = (number: number, value: number): Buffer => Buffer.concat([varint(number * 8), varint(value)])

export const FLOAT = 1

/** A TypeProto of a tensor. */
export const tensorOf = (elementType: number, shape: readonly number[] = [1]): Buffer =>
  field(1, count(1, elementType), field(2, ...shape.map(length => field(1, count(1, length)))))

export const sequenceOf = (type: Buffer): Buffer => field(4, field(1, type))
export const optionalOf = (type: Buffer): Buffer => field(9, field(1, type))
export const mapOf = (type: Buffer): Buffer => field(5, count(1, 7), field(2, type))

export const value = (name: string, type: Buffer = tensorOf(FLOAT)): Buffer =>
  Buffer.concat([field(1, name), field(2, type)])

export const node = (operator: string, domain = '', ...attributes: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    field(1, 'x'),
    field(2, 'y'),
    field(4, operator),
    ...attributes.map(attribute => field(5, attribute)),
    field(7, domain),
  ])

export interface GraphParts {
  readonly nodes?: readonly Uint8Array[]
  readonly inputs?: readonly Uint8Array[]
  readonly outputs?: readonly Uint8Array[]
  readonly initializers?: readonly Uint8Array[]
}

export const graph = ({ nodes = [node('Identity')], inputs, outputs, initializers = [] }: GraphParts = {}): Buffer =>
  Buffer.concat([
    ...nodes.map(each => field(1, each)),
    field(2, 'g'),
    ...initializers.map(each => field(5, each)),
    ...(inputs ?? [value('x')]).map(each => field(11, each)),
    ...(outputs ?? [value('y')]).map(each => field(12, each)),
  ])

/** `more` is what the model has beside its graph. */
export const model = (parts: GraphParts = {}, ...more: readonly Uint8Array[]): Buffer =>
  Buffer.concat([count(1, 10), field(7, graph(parts)), field(8, field(1, ''), count(2, 21)), ...more])
