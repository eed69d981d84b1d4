/** A language model in a file of the form GGUF, in a process of its own. docs/decisions/workforce-service.md, "A local model". */
import { basename } from 'node:path'
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { type GgufProcess, type GgufProcessOptions, type Question, startGguf } from '@millhand/gguf'
import { type Restarted, restarted } from '../restarted.ts'
import { boundedModel, type Prices } from '../runner/bounded-model.ts'
import { type LanguageModel, ModelFault } from '../runner/language-model.ts'
import { unlessAborted } from '../unless-aborted.ts'

export { ggufFault } from '@millhand/gguf'

export interface GgufOptions
  extends Prices,
    Pick<GgufProcessOptions, 'file' | 'threads' | 'memoryLimitBytes' | 'log'> {}

/** What a question and its answer may have together: it costs memory. */
const MOST_CONTEXT_TOKENS = 16_384
/** Until it has heard that it is to stop: 128 tokens of a question, or one of an answer. */
const STOP_MS = 10_000
/** Small models say the same again and again where nothing is left to chance. */
const TEMPERATURE = 0.7
const TOP_P = 0.95

/** Resolves once it is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be. */
export async function openGguf(options: GgufOptions): Promise<LanguageModel> {
  const { file, threads, memoryLimitBytes } = options
  // One question at a time: the common beginning of two that follow one another is read once.
  const load = { file, threads, sequences: 1, contextTokens: MOST_CONTEXT_TOKENS, keepsPrefix: true }
  const process = await restarted({
    name: 'language_model',
    log: options.log,
    start: signal => startGguf({ ...load, memoryLimitBytes, log: options.log, stopMs: STOP_MS }, signal),
  })
  const model = basename(options.file, '.gguf')
  const asked = sdkModel(model, process)
  const { inputMicros, outputMicros, log } = options
  const bounded = boundedModel({ name: 'gguf', model, asked: () => asked, heeds: true, inputMicros, outputMicros, log })
  return { ...bounded, close: () => process.close() }
}

/** As much of the AI SDK's interface as is asked for here: a question in words, and an answer as a whole. */
function sdkModel(modelId: string, process: Restarted<GgufProcess>): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'gguf',
    modelId,
    supportedUrls: {},
    async doGenerate({ prompt, maxOutputTokens = Number.MAX_SAFE_INTEGER, responseFormat, seed = 0, abortSignal }) {
      const schema = responseFormat?.type === 'json' ? (responseFormat.schema as Record<string, unknown>) : undefined
      const messages: Question['messages'] = [
        { role: 'system', content: textOf(prompt, 'system') },
        { role: 'user', content: textOf(prompt, 'user') },
      ]
      const question = { messages, schema, maxOutputTokens, seed, temperature: TEMPERATURE, topP: TOP_P, stop: [] }
      const asked = process.current().then(running => running.ask(question, { signal: abortSignal }))
      const said = await (abortSignal === undefined ? asked : unlessAborted(asked, abortSignal))
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
