/** The engine's side of the embedding model, which the executor has: one question after the other. */
import { Refusal } from '../brief.ts'
import type { Embed } from '../kind.ts'
import { MOST_EMBEDDED, MOST_EMBEDDED_CHARACTERS, MOST_EMBEDS } from './protocol.ts'

export interface AskedEmbedding {
  readonly embed: Embed
  /** What was said to the latest question. */
  told(vectors: readonly Float32Array[]): void
  untold(error: Error): void
  /** To be called before the run's answer, which would be out of turn while something is being asked. */
  end(): Promise<void>
}

/** `send` takes a question to the parent. */
export function askEmbedding(send: (texts: readonly string[]) => void): AskedEmbedding {
  let turn: Promise<unknown> = Promise.resolve()
  let questions = 0
  let asked = Promise.withResolvers<readonly Float32Array[]>()

  function ask(texts: readonly string[]) {
    asked = Promise.withResolvers()
    send(texts.map(cut))
    return asked.promise
  }

  return {
    async embed(texts) {
      if (texts.length === 0) return []
      if (texts.length > MOST_EMBEDDED || ++questions > MOST_EMBEDS)
        throw new Refusal(
          'input',
          `There are more texts to compare than the ${MOST_EMBEDS} times ${MOST_EMBEDDED} that may be.`,
        )
      const answer = turn.then(() => ask(texts))
      turn = answer.catch(() => {})
      return await answer
    },
    told: vectors => asked.resolve(vectors),
    untold: error => asked.reject(error),
    async end() {
      await turn
      questions = 0
    },
  }
}

const cut = (text: string): string => text.slice(0, MOST_EMBEDDED_CHARACTERS).toWellFormed()
