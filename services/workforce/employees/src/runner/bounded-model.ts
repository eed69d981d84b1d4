/** A language model of the AI SDK, asked within the bounds of a run: what it may cost, how long it may answer. */
import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider'
import type { ModelUsage } from '@millhand/child-process'
import type { Log } from '@millhand/telemetry'
import type { Schema } from '@millhand/workforce/employee'
import { generateText, wrapLanguageModel } from 'ai'
import { type LanguageModel, ModelFault, type Question } from './language-model.ts'
import type { Fault } from './protocol.ts'
import { lastOf, serverFault, statusOf, unavailable } from './server-fault.ts'

/** In millionths of a dollar for a million tokens. */
export interface Prices {
  readonly inputMicros: number
  readonly outputMicros: number
}

export interface BoundedModelOptions extends Prices {
  /** By which it is asked: results name it. */
  readonly name: string
  readonly model: string
  /** For one try. `onTaken` is told what has come of an answer that is to be paid, in bytes: 0 as it begins. */
  readonly asked: (onTaken: (bytes: number) => void) => LanguageModelV4
  /** Set where it can be held to the schema of its answer, and to a seed. Many servers refuse either: the schema stands in words too. */
  readonly heeds?: true
  readonly log: Log
}

const MOST_OUTPUT_TOKENS = 8_192
const MARKS_TOKENS = 32
/** Tokens that a server may put around a question: its own instructions, the form of its conversation. */
const MOST_TOKENS_AROUND = 4_096
/** What one run may cost, in millionths of a dollar: the most that its result can say. */
const MOST_COST_MICROS = 1_000_000_000
/** Pauses of 2 s doubling, or as the server says. */
export const RETRIES = 5

/**
 * Counts what is asked as it is paid: an answer that could not be used too. A question that would cost more than is left is not
 * asked, the first time or again. The fault is then `max_cost_reached`; else `model_refused`, `model_unavailable`, or the
 * model's own.
 */
export function boundedModel(options: BoundedModelOptions): Omit<LanguageModel, 'close'> {
  const { name, model, heeds, log } = options
  const costOf = (inputTokens: number, outputTokens: number) =>
    Math.ceil((inputTokens * options.inputMicros + outputTokens * options.outputMicros) / 1e6)

  return {
    name,
    model,
    allow({ maxCostMicros: allowedMicros = MOST_COST_MICROS, seed, onUsage, onWait, reserve, signal }) {
      const maxCostMicros = Math.min(allowedMicros, MOST_COST_MICROS)
      let used: ModelUsage = { inputTokens: 0, outputTokens: 0, costMicros: 0 }

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
        onUsage(used)
      }

      /** One try: the AI SDK makes more of them. */
      async function tryOnce(question: Question, params: LanguageModelV4CallOptions) {
        const maxOutputTokens = Math.min(MOST_OUTPUT_TOKENS, affordable(question))
        if (maxOutputTokens < 1) throw new ModelFault(tooDear)
        try {
          await reserve(costOf(used.inputTokens + tokensAsked(question), used.outputTokens + maxOutputTokens))
        } catch {
          throw new ModelFault(unavailable('language model')) // Who was asked has logged why.
        }
        signal.throwIfAborted() // Nobody has been asked yet.
        let taken: number | undefined
        const asked = options.asked(bytes => {
          taken = bytes
        })
        try {
          const answer = await asked.doGenerate({ ...params, maxOutputTokens, ...(heeds && heldTo(question.schema)) })
          const { inputTokens, outputTokens } = answer.usage
          count(
            believed(inputTokens.total, mostTokensAsked(question), tokensAsked(question)),
            believed(outputTokens.total, maxOutputTokens, Math.min(maxOutputTokens, tokensOf(textOf(answer)))),
          )
          return answer
        } catch (error) {
          // Of one that is stopped a server has read the question, as far as anybody knows; a local model may not have come to it.
          if (taken !== undefined || (signal.aborted && !heeds))
            count(tokensAsked(question), Math.min(maxOutputTokens, tokensIn(taken ?? 0)))
          if (!signal.aborted) onWait?.(faultOf(error).message)
          throw error
        }
      }

      return {
        async ask(question) {
          const { system, prompt } = question
          onWait?.('The language model had not answered yet.')
          try {
            const { text } = await generateText({
              model: wrapLanguageModel({
                model: options.asked(() => {}),
                middleware: {
                  specificationVersion: 'v4',
                  wrapGenerate: ({ params }) => tryOnce(question, params),
                },
              }),
              instructions: system,
              prompt,
              maxRetries: RETRIES,
              abortSignal: signal,
              ...(heeds && { seed }),
            })
            return { kind: 'told', text }
          } catch (error) {
            if (signal.aborted) return { kind: 'untold', fault: unavailable('language model') }
            // The error itself has the question, and may have the key.
            if (!(lastOf(error) instanceof ModelFault))
              log.warn('language_model.failed', {
                status: statusOf(error),
                reason: error instanceof Error ? error.name : 'unknown',
              })
            return { kind: 'untold', fault: faultOf(error) }
          } finally {
            if (!signal.aborted) onWait?.(undefined)
          }
        },
      }
    },
  }
}

const heldTo = (schema: Schema) => ({ responseFormat: { type: 'json' as const, schema: schema as JSONSchema7 } })

const textOf = ({ content }: LanguageModelV4GenerateResult): string =>
  content.map(part => (part.type === 'text' ? part.text : '')).join('')

function faultOf(error: unknown): Fault {
  const last = lastOf(error)
  return last instanceof ModelFault ? last.fault : serverFault('language model', error)
}

const tooDear: Fault = {
  code: 'max_cost_reached',
  message: 'The language model would cost more than `max_cost` allows.',
  retryable: false,
}

/** What a server says that it counted is money: what can't be so is not believed, and reckoned. */
const believed = (said: number | undefined, most: number, reckoned: number): number =>
  said !== undefined && Number.isInteger(said) && said >= 0 && said <= most ? said : reckoned

/** No tokenizer makes more tokens of a text than it has bytes. */
const mostTokensAsked = ({ system, prompt }: Question): number =>
  Buffer.byteLength(system) + Buffer.byteLength(prompt) + MOST_TOKENS_AROUND

/** With the marks that a conversation has besides. */
const tokensAsked = ({ system, prompt }: Question): number => MARKS_TOKENS + tokensOf(system) + tokensOf(prompt)

/** No fewer than there are in most texts; used where nobody says how many there were. */
const tokensOf = (text: string): number => tokensIn(Buffer.byteLength(text))
const tokensIn = (bytes: number): number => Math.ceil(bytes / 3)
