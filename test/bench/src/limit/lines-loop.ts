/** A limit: a script that reads lines from a file, runs the digits model over them in ONNX Runtime, and writes lines to a file. */

import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { answerQuestions } from '../child.ts'

export interface LinesLoop {
  readonly model: string
  /** JSON Lines of 64 numbers from 0 to 16. */
  readonly input: string
  readonly output: string
  readonly batch: number
}

const WIDTH = 64
const CLASSES = 10

/** Answers with milliseconds, from opening the model to the last byte of the output. */
answerQuestions(async ({ model, input, output, batch }: LinesLoop): Promise<number> => {
  const start = performance.now()
  const session = await InferenceSession.create(model, {
    executionProviders: ['cpu'],
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  const out = createWriteStream(output)
  let index = 0
  const run = async (lines: readonly string[]) => {
    const data = new Float32Array(lines.length * WIDTH)
    for (const [at, line] of lines.entries()) {
      const numbers = JSON.parse(line) as number[]
      for (let i = 0; i < WIDTH; i++) data[at * WIDTH + i] = (numbers[i] as number) / 16
    }
    const feeds = { [session.inputNames[0] as string]: new Tensor('float32', data, [lines.length, WIDTH]) }
    const outputs = Object.values(await session.run(feeds))
    const scores = outputs.find(({ type }) => type === 'float32')?.data as Float32Array
    let text = ''
    for (let at = 0; at < lines.length; at++) {
      const row = Array.from(scores.subarray(at * CLASSES, (at + 1) * CLASSES), score => Math.round(score * 1e6) / 1e6)
      const confidence = Math.max(...row)
      text += `${JSON.stringify({ index: index++, output: { digit: row.indexOf(confidence), confidence, scores: row } })}\n`
    }
    if (!out.write(text)) await once(out, 'drain')
  }
  let waiting: string[] = []
  for await (const line of createInterface({ input: createReadStream(input) })) {
    if (waiting.push(line) < batch) continue
    await run(waiting)
    waiting = []
  }
  if (waiting.length > 0) await run(waiting)
  out.end()
  await finished(out)
  return performance.now() - start
})
