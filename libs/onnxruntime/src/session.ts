/** An ONNX file opened in ONNX Runtime, and tensors passed to and from it. */
import { readFile } from 'node:fs/promises'
import {
  type Dtype,
  type Elements,
  isDtype,
  OnnxInvalid,
  type Provider,
  readOnnx,
  type Tensor,
  type TensorSpec,
} from '@millhand/model'
import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node'

export interface Session {
  readonly inputs: readonly TensorSpec[]
  /** Only the outputs that are tensors of elements that are carried. */
  readonly outputs: readonly TensorSpec[]
  /** Runs the model; gives the outputs of these names, all of them where none are named. Rejects with ONNX Runtime's own error. */
  run(feeds: ReadonlyMap<string, Tensor>, names?: readonly string[]): Promise<Map<string, Tensor>>
  /** Frees its memory, which no garbage collector does soon. Not while a run is on, and no run after it. */
  close(): Promise<void>
}

/** How a model is run. */
export interface SessionOptions {
  /** Processor threads of a run. */
  readonly threads: number
  /** What it runs on; operators that this lacks run on the processor. Default `cpu`. */
  readonly provider?: Provider
  /** Rejects where the provider lacks an operator. */
  readonly onlyProvider?: boolean
  /** Whether memory that a run has freed is set aside for the next. Default true; without, large runs hold less. */
  readonly keepsMemory?: boolean
}

/**
 * Loads from bytes, so that no file beside it is ever opened. Rejects when the file is broken, or asks for that, and when
 * this machine lacks the provider.
 */
export const openSession = async (path: string, options: SessionOptions): Promise<Session> =>
  openSessionOf(await readFile(path), options)

/** The same from the bytes of a file. */
export async function openSessionOf(
  bytes: Uint8Array,
  { threads, provider = 'cpu', onlyProvider = false, keepsMemory = true }: SessionOptions,
): Promise<Session> {
  const file = readOnnx(bytes)
  const { refused } = file
  if (refused) throw new OnnxInvalid(refused)
  const session = await InferenceSession.create(bytes, {
    executionProviders: [provider],
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    enableCpuMemArena: keepsMemory,
    // What it would log it also throws.
    logSeverityLevel: 4,
    extra: {
      session: {
        // Waiting threads sleep: a third less processor time for a run at the same latency.
        intra_op: { allow_spinning: '0' },
        ...(onlyProvider && { disable_cpu_ep_fallback: '1' }),
      },
    },
  })
  const outputs = session.outputMetadata.flatMap(value => toSpec(value, file.outputs))
  const wanted = outputs.map(({ name }) => name)
  return {
    inputs: session.inputMetadata.flatMap(value => toSpec(value, file.inputs)),
    outputs,
    async run(feeds, names = wanted) {
      const given = Object.fromEntries([...feeds].map(([name, tensor]) => [name, toOrt(tensor)]))
      const results = await session.run(given, names, { logSeverityLevel: 4 })
      return new Map(Object.entries(results).map(([name, tensor]) => [name, fromOrt(tensor)]))
    },
    close: () => session.release(),
  }
}

/** `listed`: what the file says, which alone tells what an optional is of. */
function toSpec(value: InferenceSession.ValueMetadata, listed: readonly TensorSpec[]): TensorSpec[] {
  if (!value.isTensor) return listed.filter(({ name }) => name === value.name)
  // To give a tensor of 4 bits to JavaScript ends the whole process (1.30).
  if (!isDtype(value.type)) return []
  const shape = value.shape.map(length => (typeof length === 'number' ? length : -1))
  return [{ name: value.name, dtype: value.type, shape }]
}

function toOrt({ dtype, shape, data }: Tensor): OrtTensor {
  // The binding of 1.30 takes a Float16Array for an empty one, and OrtTensor makes nothing else; it takes this.
  if (data instanceof Float16Array) {
    const bits = new Uint16Array(data.buffer, data.byteOffset, data.length)
    return { type: dtype, dims: shape, data: bits, location: 'cpu' } as unknown as OrtTensor
  }
  return new OrtTensor(dtype, data as never, shape)
}

const fromOrt = (tensor: OrtTensor): Tensor => ({
  dtype: tensor.type as Dtype,
  shape: tensor.dims,
  data: tensor.data as Elements,
})
