/** A limit: ONNX Runtime in a bare process, the same batch of inputs again and again, nothing read and nothing written. */
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { answerQuestions } from '../child.ts'

export interface OnnxRuns {
  readonly model: string
  readonly batch: number
  readonly seconds: number
}

/** Numbers in one input of the digits model: a picture of 8 by 8. */
const width = 64

/** Answers with items a second. The session is set up as facts of this house have it: no spinning. */
answerQuestions(async ({ model, batch, seconds }: OnnxRuns): Promise<number> => {
  const session = await InferenceSession.create(model, {
    executionProviders: ['cpu'],
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  const [input] = session.inputNames
  const data = Float32Array.from({ length: batch * width }, (_, i) => (i * 7) % 17)
  const feeds = { [input as string]: new Tensor('float32', data, [batch, width]) }
  await session.run(feeds)

  let items = 0
  const start = performance.now()
  const deadline = start + seconds * 1000
  while (performance.now() < deadline) {
    await session.run(feeds)
    items += batch
  }
  return (items / (performance.now() - start)) * 1000
})
