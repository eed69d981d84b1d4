/**
 * The language model that the operator has configured: any server that speaks OpenAI's chat completions. No process of a
 * kind sees its address or its key.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Log } from '@millhand/telemetry'
import { boundedModel, type Prices } from './bounded-model.ts'
import type { LanguageModel } from './language-model.ts'

export interface OpenAICompatibleOptions extends Prices {
  /** Where it is, up to `/v1`. The operator's own: it may be private. */
  readonly url: string
  readonly model: string
  readonly key?: string | undefined
  readonly log: Log
}

const MOST_RESPONSE_BYTES = 16 * 2 ** 20

export function openAICompatible({ url, model, key, ...rest }: OpenAICompatibleOptions): LanguageModel {
  const provider = createOpenAICompatible({
    name: 'millhand',
    baseURL: url,
    ...(key !== undefined && { apiKey: key }),
    fetch: boundedFetch,
  })
  return { ...boundedModel({ name: 'openai-compatible', asked: provider.chatModel(model), ...rest }), async close() {} }
}

/** Goes nowhere else than it was sent, and takes no more than an answer can have. */
async function boundedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  // What sends elsewhere is an answer like any other: one that was refused by `fetch` itself would be asked again and again.
  const answer = await fetch(input, { ...init, redirect: 'manual' })
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
