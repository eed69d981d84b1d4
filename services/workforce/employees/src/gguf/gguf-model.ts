/** A language model in a file of the form GGUF, in a process of this executor. docs/decisions/workforce-service.md, "A local model". */
import { basename } from 'node:path'
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Answer, Question } from '@millhand/gguf'
import type { DeclaredUse, GgufProcesses } from '@millhand/gguf/processes'
import type { Log } from '@millhand/telemetry'
import { boundedModel, type Prices } from '../runner/bounded-model.ts'
import { type LanguageModel, ModelFault } from '../runner/language-model.ts'
import { unlessAborted } from '../unless-aborted.ts'

export { ggufFault } from '@millhand/gguf'

export interface GgufOptions extends Prices {
  readonly file: string
  /** Resident memory that its process may have beside the file, in bytes. */
  readonly memoryLimitBytes: number
  /** Whose process it uses: nothing of the file has been acquired of it yet. */
  readonly processes: Pick<GgufProcesses, 'declare'>
  readonly log: Log
}

/** What a question and its answer may have together: it costs memory. */
const MOST_CONTEXT_TOKENS = 16_384
/** Until it has heard that it is to stop: 128 tokens of a question, or one of an answer. */
const STOP_MS = 10_000
/** Small models say the same again and again where nothing is left to chance. */
const TEMPERATURE = 0.7
const TOP_P = 0.95

/** Resolves once it is loaded. Rejects with `LoadFailed`, or `RunnerGone`, where it can't be. */
export async function openGguf(options: GgufOptions): Promise<LanguageModel> {
  const { file, memoryLimitBytes, processes, inputMicros, outputMicros, log } = options
  const model = basename(file, '.gguf')
  // One question at a time: the common beginning of two that follow one another is read once.
  const context = { sequences: 1, contextTokens: MOST_CONTEXT_TOKENS, keepsPrefix: true, stopMs: STOP_MS }
  const use = processes.declare({ name: model, file, context, memoryBytes: memoryLimitBytes })
  const closing = new AbortController()
  const first = {}
  const loaded = await use.acquire(first, closing.signal)
  loaded.release(first)
  const asked = sdkModel(model, (question, signal) => answerOf(use, question, closing.signal, signal))
  const bounded = boundedModel({ name: 'gguf', model, asked: () => asked, heeds: true, inputMicros, outputMicros, log })
  return { ...bounded, close: async () => closing.abort() }
}

/** A question that is not wanted any more ends no load: the next one needs it too. */
async function answerOf(
  use: DeclaredUse,
  question: Question,
  closing: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const user = {}
  const process = await use.acquire(user, closing)
  try {
    return await process.ask(question, { signal })
  } finally {
    process.release(user)
  }
}

type Ask = (question: Question, signal: AbortSignal | undefined) => Promise<Answer>

/** As much of the AI SDK's interface as is asked for here: a question in words, and an answer as a whole. */
function sdkModel(modelId: string, ask: Ask): LanguageModelV4 {
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
      const asked = ask(question, abortSignal)
      const said = await (abortSignal === undefined ? asked : unlessAborted(asked, abortSignal))
      if (said.kind === 'too_long') throw new ModelFault(tooLong(said))
      if (said.kind === 'template_refused') throw new ModelFault(templateRefused(said))
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

const templateRefused = ({ message }: { message: string }) => ({
  code: 'model_refused',
  message: `The template in the language model’s file refuses the question, and would refuse it again. The operator has to configure another file; until then, use \`engine\` \`rules\` if the kind has rules. The template says: ${message}`,
  retryable: false,
})

const textOf = (prompt: LanguageModelV4Prompt, role: 'system' | 'user'): string =>
  prompt
    .filter(message => message.role === role)
    .flatMap(({ content }) =>
      typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : '')),
    )
    .join('\n')
