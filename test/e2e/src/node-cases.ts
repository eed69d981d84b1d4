/** The node tests of the ONNX standard, generated and judged by its Python packages: `onnx-nodes/cases.py`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { python } from '@millhand/test-servers'
import type { Wire } from './http.ts'

/** A model with the graphs of one case or several. */
export interface CasesModel {
  readonly index: number
  /** The version of ONNX Runtime's Python package. */
  readonly runtime: string
  /** Of its cases. */
  readonly names: readonly string[]
  /** The ONNX file. */
  readonly model: Buffer
  /** Named tensors as a task's input has them. */
  readonly inputs: object
  /** Why an input has no such form; null where all have. */
  readonly unwritable: string | null
  /** The names of the outputs. */
  readonly outputs: readonly string[]
  /** Of the inputs and outputs: the element type of a tensor, else `sequence`, `optional`, `map` or `sparse_tensor`. */
  readonly types: readonly string[]
}

/** A case that ONNX Runtime's own Python package does not pass. */
interface NotPassed {
  readonly name: string
  readonly fault: string
}

export interface NodeCases extends AsyncDisposable {
  /** The models of the part, and the cases that are in none of them. Can be read once. */
  readonly cases: AsyncIterable<CasesModel | NotPassed>
  /**
   * How a model's output differs from what is expected, by the case; null where it does not. For one model after the
   * other, once all cases are read.
   */
  compare(model: CasesModel, output: object): Promise<Readonly<Record<string, string | null>>>
}

/** Every so manieth case, the `part`th of `parts`, at most `most` of them in one model. */
export function nodeCases(part: number, parts: number, most: number): NodeCases {
  const script = join(import.meta.dirname, '../onnx-nodes/cases.py')
  const child = spawn(python, [script, part, parts, most].map(String), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  const exit = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<Wire> => {
    const { done, value } = await lines.next()
    if (done) throw new Error(`${script} ended early`)
    return JSON.parse(value)
  }
  return {
    cases: {
      async *[Symbol.asyncIterator]() {
        for (let said = await next(); !('total' in said); said = await next()) {
          yield 'model' in said ? { ...said, model: Buffer.from(said.model, 'base64') } : said
        }
      },
    },
    async compare({ index }, output) {
      child.stdin.write(`${JSON.stringify({ index, output })}\n`)
      return (await next()).faults
    },
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await exit
    },
  }
}
