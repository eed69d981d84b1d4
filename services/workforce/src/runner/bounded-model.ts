/** A language model of the AI SDK, asked within the bounds of a run: what it may cost, how long it may answer. */
import type { JSONSchema7, LanguageModelV4 } from '@ai-sdk/provider'
import type { Log } from '@millhand/telemetry'
import type { Used } from '@millhand/worker'
import { APICallError, generateText, RetryError, wrapLanguageModel } from 'ai'
import type { Schema } from '../catalogue.ts'
import { type LanguageModel, ModelFault, type Question } from './language-model.ts'
import type { Fault } from './protocol.ts'

/** In millionths of a dollar for a million tokens. */
export interface Prices {
  readonly inputMicros: number
  readonly outputMicros: number
}

export interface BoundedModelOptions extends Prices {
  /** By which it is asked: results name it. */
  readonly name: string
  readonly asked: LanguageModelV4
  /** Set where it can be held to the schema of its answer, and to a seed. Many servers refuse either: the schema stands in words too. */
  readonly heeds?: true
  readonly log: Log
}

const MOST_OUTPUT_TOKENS = 8_192
const MARKS_TOKENS = 32
/** Pauses of 2 s doubling, or as the server says. */
export const RETRIES = 5

export function boundedModel(options: BoundedModelOptions): Omit<LanguageModel, 'close'> {
  const { name, asked, heeds, log } = options
  const costOf = (inputTokens: number, outputTokens: number) =>
    Math.ceil((inputTokens * options.inputMicros + outputTokens * options.outputMicros) / 1e6)

  return {
    name,
    model: asked.modelId,
    allow({ maxCostMicros = Number.POSITIVE_INFINITY, seed, onUse, reserve, signal }) {
      let used: Used = { inputTokens: 0, outputTokens: 0, costMicros: 0 }

      /** How long an answer the rest of the money pays for, once the question is paid. */
      function affordable(question: Question): number {
        const left = maxCostMicros - used.costMicros - costOf(tokensAsked(question), 0)
        if (left < 0) return 0
        return options.outputMicros === 0 ? MOST_OUTPUT_TOKENS : Math.floor((left * 1e6) / options.outputMicros)
      }

      function count(inputTokens: number, outputTokens: number): void {
        const input = used.inputTokens + inputTokens
        const output = used.outputTokens + outputTokens
        used = { inputTokens: input, outputTokens: output, costMicros: costOf(input, output) }
        onUse(used)
      }

      return {
        async ask(question) {
          const { system, prompt, schema } = question
          const maxOutputTokens = Math.min(MOST_OUTPUT_TOKENS, affordable(question))
          if (maxOutputTokens < 1) return { kind: 'untold', fault: tooDear }
          try {
            await reserve(costOf(used.inputTokens + tokensAsked(question), used.outputTokens + maxOutputTokens))
          } catch {
            return { kind: 'untold', fault: unavailable } // Who was asked has logged why.
          }
          try {
            const { text, usage } = await generateText({
              model: heeds ? heldTo(asked, schema) : asked,
              instructions: system,
              prompt,
              maxOutputTokens,
              maxRetries: RETRIES,
              abortSignal: signal,
              ...(heeds && { seed }),
            })
            count(usage.inputTokens ?? tokensAsked(question), usage.outputTokens ?? tokensOf(text))
            return { kind: 'told', text }
          } catch (error) {
            if (signal.aborted) {
              // A server has read it, as far as anybody knows; a local model may not have come to it.
              if (!heeds) count(tokensAsked(question), 0)
              return { kind: 'untold', fault: unavailable }
            }
            if (error instanceof ModelFault) return { kind: 'untold', fault: error.fault }
            const status = statusOf(error)
            // The error itself has the question, and may have the key.
            log.warn('language_model.failed', { status, reason: error instanceof Error ? error.name : 'unknown' })
            return { kind: 'untold', fault: isRefusal(status) ? refused(status) : unavailable }
          }
        },
      }
    },
  }
}

const heldTo = (model: LanguageModelV4, schema: Schema) =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => ({
        ...params,
        responseFormat: { type: 'json', schema: schema as JSONSchema7 },
      }),
    },
  })

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

/** With the marks that a conversation has besides. */
const tokensAsked = ({ system, prompt }: Question): number => MARKS_TOKENS + tokensOf(system) + tokensOf(prompt)

/** No fewer than there are in most texts; used where nobody says how many there were. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3)

/** The server will not do it, whoever asks and however often. */
export const isRefusal = (status: number | undefined): status is number =>
  status !== undefined && status >= 300 && status < 500 && ![401, 403, 408, 429].includes(status)

/** What a server answered with, where it answered. */
export function statusOf(error: unknown): number | undefined {
  const last = RetryError.isInstance(error) ? error.lastError : error
  return APICallError.isInstance(last) ? last.statusCode : undefined
}
