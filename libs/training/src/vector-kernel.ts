/**
 * A function that goes once over several vectors of one length, four elements at a time: WebAssembly with SIMD. Each operation
 * rounds as IEEE 754 says, so every processor gives the same bits. ONNX Runtime would go over memory once for each operation.
 * The bytes are those of the WebAssembly Core Specification 2.0, chapter 5.
 */

export interface VectorKernel<Vector extends string, Scalar extends string> {
  /** In the memory that the function works on; zeros at first. */
  readonly vectors: Readonly<Record<Vector, Float32Array<ArrayBuffer>>>
  run(scalars: Readonly<Record<Scalar, number>>): void
}

export interface VectorKernelOptions<Vector extends string, Scalar extends string> {
  /** Of each vector, in elements. */
  readonly length: number
  readonly vectors: readonly Vector[]
  /** What all elements of a run have in common. */
  readonly scalars: readonly Scalar[]
  /** Says what is done with an element of each vector. */
  write(body: KernelBody<Vector, Scalar>): void
}

export interface KernelBody<Vector extends string, Scalar extends string> {
  load(vector: Vector): Value
  store(vector: Vector, value: Value): void
  scalar(name: Scalar): Value
  constant(value: number): Value
  add(a: Value, b: Value): Value
  subtract(a: Value, b: Value): Value
  multiply(a: Value, b: Value): Value
  divide(a: Value, b: Value): Value
  sqrt(a: Value): Value
}

/** The local variable that has it. */
type Value = number

export function compileKernel<Vector extends string, Scalar extends string>(
  options: VectorKernelOptions<Vector, Scalar>,
): VectorKernel<Vector, Scalar> {
  const { length, vectors, scalars } = options
  const { Module, Instance } = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyConstructors
  const { memory, run } = new Instance(new Module(Uint8Array.from(moduleOf(options)))).exports
  const places = vectors.map((name, at) => [name, new Float32Array(memory.buffer, placeOf(length, at), length)])
  return {
    vectors: Object.fromEntries(places),
    run: values => run(...scalars.map(name => values[name])),
  }
}

/** Node's types have none of these. */
interface WebAssemblyConstructors {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer }
      run(...scalars: number[]): void
    }
  }
}

/** Bytes of four elements of float32. */
const STRIDE = 16
const PAGE = 65_536

const sizeOf = (length: number) => Math.ceil((length * 4) / STRIDE) * STRIDE
const placeOf = (length: number, vector: number) => sizeOf(length) * vector

function moduleOf<Vector extends string, Scalar extends string>(options: VectorKernelOptions<Vector, Scalar>) {
  const { length, vectors, scalars } = options
  const pages = unsigned(Math.ceil(placeOf(length, vectors.length) / PAGE))
  const parameters = scalars.map(() => FLOAT)
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, ...counted(parameters), 0]), // One type: floats to nothing.
    ...section(3, [1, 0]), // One function, of that type.
    ...section(5, [1, 0x01, ...pages, ...pages]), // One memory, from so many pages to as many.
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('run'), 0x00, 0]), // Both are exported.
    ...section(10, [1, ...counted(functionOf(options))]),
  ]
}

const FLOAT = 0x7d
const INTEGER = 0x7f
const FOUR_FLOATS = 0x7b

function functionOf<Vector extends string, Scalar extends string>({
  length,
  vectors,
  scalars,
  write,
}: VectorKernelOptions<Vector, Scalar>): number[] {
  const place = scalars.length // The parameters are the first local variables.
  let locals = place + 1
  const before: number[] = []
  const loop: number[] = []
  const spread = (code: readonly number[]): Value => {
    before.push(...code, ...simd(0x13), ...set(locals))
    return locals++
  }
  const compute = (operator: number, ...values: readonly Value[]): Value => {
    loop.push(...values.flatMap(get), ...simd(operator), ...set(locals))
    return locals++
  }
  /** Aligned at 2^4 bytes. */
  const at = (vector: Vector) => [4, ...unsigned(placeOf(length, vectors.indexOf(vector)))]
  write({
    load(vector) {
      loop.push(...get(place), ...simd(0x00), ...at(vector), ...set(locals))
      return locals++
    },
    store: (vector, value) => void loop.push(...get(place), ...get(value), ...simd(0x0b), ...at(vector)),
    scalar: name => spread(get(scalars.indexOf(name))),
    constant: value => spread([0x43, ...new Uint8Array(Float32Array.of(value).buffer)]),
    add: (a, b) => compute(0xe4, a, b),
    subtract: (a, b) => compute(0xe5, a, b),
    multiply: (a, b) => compute(0xe6, a, b),
    divide: (a, b) => compute(0xe7, a, b),
    sqrt: a => compute(0xe3, a),
  })
  const next = [...get(place), 0x41, STRIDE, 0x6a, 0x22, place] // i32.const, i32.add, local.tee
  const isLeft = [0x41, ...signed(sizeOf(length)), 0x49] // i32.const, i32.lt_u
  return [
    ...[2, 1, INTEGER, ...unsigned(locals - place - 1), FOUR_FLOATS],
    ...before,
    ...[0x03, 0x40, ...loop, ...next, ...isLeft, 0x0d, 0, 0x0b], // loop, br_if, end
    0x0b,
  ]
}

const get = (local: number): number[] => [0x20, ...unsigned(local)]
const set = (local: number): number[] => [0x21, ...unsigned(local)]
const simd = (operator: number): number[] => [0xfd, ...unsigned(operator)]
const section = (id: number, content: readonly number[]): number[] => [id, ...counted(content)]
const counted = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes]
const name = (text: string): number[] => counted([...Buffer.from(text)])

/** LEB128: seven bits a byte, the lowest first; all but the last have the eighth. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...unsigned(Math.floor(value / 0x80))]
}

/** The seventh bit of the last is the sign, which is 0 here. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value % 0x80) + 0x80, ...signed(Math.floor(value / 0x80))]
}
