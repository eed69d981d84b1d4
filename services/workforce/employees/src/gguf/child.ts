/** The process that a local language model lives in. */
import { answerParent } from '../asked-child.ts'
import { type LoadedModel, loadModel, TooLong } from './loaded-model.ts'
import type { Answer, Load, Question } from './protocol.ts'

answerParent<Load, Question, LoadedModel, Answer>({
  load: loadModel,
  async answer(model, question, signal) {
    const { text, ...account } = await model.ask(question, signal)
    return [{ kind: 'answered', ...account }, [text]]
  },
  failed: error =>
    error instanceof TooLong ? { kind: 'too_long', tokens: error.tokens, most: error.most } : { kind: 'failed' },
})
