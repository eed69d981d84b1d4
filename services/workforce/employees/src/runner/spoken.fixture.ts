/** A kind of an employee done with what the test has a language model say, in this process: no server, no process of a kind. */
import { type Brief, Refusal } from '../brief.ts'
import { type KindSpec, readCatalogue } from '../catalogue.ts'
import { BadAnswer, type Measured } from '../run-rules.ts'
import { runLanguageModel } from './run-language-model.ts'

const kinds = new Map(
  readCatalogue().flatMap(({ kinds: own }) => own.map(kind => [`${kind.employee}/${kind.id}`, kind])),
)

interface Spoken {
  /** What the model was asked, beside the kind's prompt. */
  readonly asked: readonly string[]
  readonly made?: Measured
  /** Why there is no answer. */
  readonly fault?: BadAnswer | Refusal
}

export async function spoken(id: string, brief: Partial<Brief>, replies: readonly string[]): Promise<Spoken> {
  const asked: string[] = []
  const ask = async (prompt: string) => replies[asked.push(prompt) - 1] ?? ''
  const whole: Brief = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: {}, ...brief }
  try {
    return { asked, made: await runLanguageModel(kinds.get(id) as KindSpec, whole, ask) }
  } catch (fault) {
    if (fault instanceof BadAnswer || fault instanceof Refusal) return { asked, fault }
    throw fault
  }
}
