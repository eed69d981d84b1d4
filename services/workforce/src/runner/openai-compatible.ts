/**
 * The language model that the operator has configured: any server that speaks OpenAI's chat completions. No process of a
 * kind sees its address or its key.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Log } from '@millhand/telemetry'
import type { Used } from '@millhand/worker'
import { APICallError, generateText, RetryError } from 'ai'
import type { LanguageModel, Question } from './language-model.ts'
import type { Fault } from './protocol.ts'

export interface LanguageModelOptions {
  /** Where it is, up to `/v1`. The operator's own: it may be private. */
  readonly url: string
  readonly model: string
  readonly key?: string | undefined
  /** Millionths of a dollar for a million tokens. */
  readonly inputMicros: number
  readonly outputMicros: number
  readonly log: Log
}

const MOST_OUTPUT_TOKENS = 8_192
/** Pauses of 2 s doubling, or as the server says. */
const RETRIES = 5
const MOST_RESPONSE_BYTES = 16 * 2 ** 20

export function openLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { url, model, key, log } = options
  const provider = createOpenAICompatible({
    name: 'millhand',
    baseURL: url,
    ...(key !== undefined && { apiKey: key }),
    fetch: boundedFetch,
  })
  const chat = provider.chatModel(model)
  const costOf = (inputTokens: number, outputTokens: number) =>
    Math.ceil((inputTokens * options.inputMicros + outputTokens * options.outputMicros) / 1e6)

  return {
    name: 'openai-compatible',
    model,
    allow({ maxCostMicros = Number.POSITIVE_INFINITY, onUse, signal }) {
      let used: Used = { inputTokens: 0, outputTokens: 0, costMicros: 0 }

      /** How long an answer the rest of the money pays for, once the question is paid. */
      function affordable({ system, prompt }: Question): number {
        const left = maxCostMicros - used.costMicros - costOf(tokensOf(system) + tokensOf(prompt), 0)
        if (left < 0) return 0
        return options.outputMicros === 0 ? MOST_OUTPUT_TOKENS : Math.floor((left * 1e6) / options.outputMicros)
      }

      return {
        async ask(question) {
          const { system, prompt } = question
          const maxOutputTokens = Math.min(MOST_OUTPUT_TOKENS, affordable(question))
          if (maxOutputTokens < 1) return { kind: 'untold', fault: tooDear }
          try {
            const { text, usage } = await generateText({
              model: chat,
              instructions: system,
              prompt,
              maxOutputTokens,
              maxRetries: RETRIES,
              abortSignal: signal,
            })
            const inputTokens = used.inputTokens + (usage.inputTokens ?? tokensOf(system) + tokensOf(prompt))
            const outputTokens = used.outputTokens + (usage.outputTokens ?? tokensOf(text))
            used = { inputTokens, outputTokens, costMicros: costOf(inputTokens, outputTokens) }
            onUse(used)
            return { kind: 'told', text }
          } catch (error) {
            if (signal.aborted) return { kind: 'untold', fault: unavailable }
            const status = statusOf(error)
            // The error itself has the question, and may have the key.
            log.warn('language_model.failed', { status, reason: error instanceof Error ? error.name : 'unknown' })
            const isRefused =
              status !== undefined && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
            return { kind: 'untold', fault: isRefused ? refused(status) : unavailable }
          }
        },
      }
    },
  }
}

const tooDear: Fault = {
  code: 'max_cost_reached',
  message: 'The language model would cost more than `max_cost` allows.',
  retryable: false,
}

const unavailable: Fault = {
  code: 'model_unavailable',
  message: 'The language model could not be asked, or did not answer.',
  retryable: true,
}

const refused = (status: number): Fault => ({
  code: 'model_refused',
  message: `The language model’s server refused the question, with status ${status}.`,
  retryable: false,
})

/** No fewer than there are in most texts; used where nobody says how many there were. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3)

function statusOf(error: unknown): number | undefined {
  const last = RetryError.isInstance(error) ? error.lastError : error
  return APICallError.isInstance(last) ? last.statusCode : undefined
}

/** Goes nowhere else than it was sent, and takes no more than an answer can have. */
async function boundedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(input, { ...init, redirect: 'error' })
  if (!answer.body) return answer
  let bytes = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > MOST_RESPONSE_BYTES) controller.error(new Error('the answer is too large'))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = answer
  return new Response(answer.body.pipeThrough(count), { status, statusText, headers })
}
