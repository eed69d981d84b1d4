/** A language model in a file of the form GGUF, in a process of its own. docs/decisions/workforce-service.md, "A local model". */
import { basename } from 'node:path'
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { boundedModel, type Prices } from '../runner/bounded-model.ts'
import { type LanguageModel, ModelFault } from '../runner/language-model.ts'
import { type GgufProcess, type GgufProcessOptions, startGguf } from './gguf-process.ts'

export { ggufFault } from './gguf-file.ts'

export interface GgufOptions extends Prices, GgufProcessOptions {}

/** Resolves once it is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be. */
export async function openGguf(options: GgufOptions): Promise<LanguageModel> {
  const process = await startGguf(options)
  const model = basename(options.file, '.gguf')
  const asked = sdkModel(model, process)
  const { inputMicros, outputMicros, log } = options
  const bounded = boundedModel({ name: 'gguf', model, asked: () => asked, heeds: true, inputMicros, outputMicros, log })
  return { ...bounded, close: () => process.close() }
}

/** As much of the AI SDK's interface as is asked for here: a question in words, and an answer as a whole. */
function sdkModel(modelId: string, process: GgufProcess): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'gguf',
    modelId,
    supportedUrls: {},
    async doGenerate({ prompt, maxOutputTokens = Number.MAX_SAFE_INTEGER, responseFormat, seed = 0, abortSignal }) {
      const schema = responseFormat?.type === 'json' ? (responseFormat.schema as Record<string, unknown>) : undefined
      const question = {
        system: textOf(prompt, 'system'),
        prompt: textOf(prompt, 'user'),
        schema,
        maxOutputTokens,
        seed,
      }
      const said = await process.ask(question, abortSignal)
      if (said.kind === 'too_long') throw new ModelFault(tooLong(said))
      if (said.kind !== 'answered') throw new Error('the language model failed')
      const { text, inputTokens: total, knownTokens: cacheRead, outputTokens, end } = said
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: end === 'stopped' ? 'other' : end, raw: end },
        usage: {
          inputTokens: { total, cacheRead, noCache: total - cacheRead, cacheWrite: undefined },
          outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
        },
        warnings: [],
      }
    },
    doStream: async () => {
      throw new Error('nobody asks for a stream')
    },
  }
}

const tooLong = ({ tokens, most }: { tokens: number; most: number }) => ({
  code: 'model_refused',
  message: `The brief, its files and what the language model is told are ${tokens} tokens; this one reads at most ${most}.`,
  retryable: false,
})

const textOf = (prompt: LanguageModelV4Prompt, role: 'system' | 'user'): string =>
  prompt
    .filter(message => message.role === role)
    .flatMap(({ content }) =>
      typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : '')),
    )
    .join('\n')
