/** The process that an embedding model lives in. */
import { answerParent } from '../asked-child.ts'
import { type LoadedModel, loadModel } from './loaded-model.ts'
import type { Answer, Load, Question } from './protocol.ts'

answerParent<Load, Question, LoadedModel, Answer>({
  load: loadModel,
  async answer(model, { texts }, signal) {
    const vectors = await model.embed(texts, signal)
    if (vectors === undefined) return [{ kind: 'failed' }]
    const bytes = vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))
    return [{ kind: 'embedded', count: vectors.length }, [Buffer.concat(bytes)]]
  },
  failed: () => ({ kind: 'failed' }),
})
