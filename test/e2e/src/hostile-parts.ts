/** What hostile ONNX files are made of, as bytes: no exporter writes most of them. Field numbers are those of onnx.proto3. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './server.ts'

export const { count, field, graph, mapOf, model, node, optionalOf, sequenceOf, tensorOf, value, varint } =
  await import(join(repository, 'libs/model/src/onnx-bytes.fixture.ts'))

export const [FLOAT, UINT8, INT32, INT64, STRING, BOOL] = [1, 2, 6, 7, 8, 9] as const
export const MIB = 2 ** 20

const fixtures = join(repository, 'services/executor/src/onnx/fixtures/hostile-models')
export const hostile = (name: string): Buffer => readFileSync(join(fixtures, `${name}.onnx`))

export const many = (length: number, make: (index: number) => Buffer): Buffer[] =>
  Array.from({ length }, (_, index) => make(index))

/** A NodeProto of any inputs and outputs. */
export const op = (
  operator: string,
  inputs: string[],
  outputs: string[],
  attributes: Buffer[] = [],
  domain = '',
): Buffer =>
  Buffer.concat([
    ...inputs.map(name => field(1, name)),
    ...outputs.map(name => field(2, name)),
    field(4, operator),
    ...attributes.map(attribute => field(5, attribute)),
    field(7, domain),
  ])

export const wholeAttribute = (name: string, number: number) =>
  Buffer.concat([field(1, name), count(3, number), count(20, 2)])
export const graphAttribute = (name: string, of: Buffer) => Buffer.concat([field(1, name), field(6, of), count(20, 5)])
export const tensorAttribute = (name: string, of: Buffer) => Buffer.concat([field(1, name), field(5, of), count(20, 4)])

/** A TensorProto. */
export const weights = (name: string, type: number, shape: number[], raw: Uint8Array): Buffer =>
  Buffer.concat([...shape.map(length => count(1, length)), count(2, type), field(8, name), field(9, raw)])

export const wholes = (...numbers: (number | bigint)[]) =>
  new Uint8Array(new BigInt64Array(numbers.map(number => BigInt(number))).buffer)
export const lengths = (name: string, ...numbers: number[]) =>
  weights(name, INT64, [numbers.length], wholes(...numbers))
