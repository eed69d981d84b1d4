/**
 * The language model that the operator has configured: any server that speaks OpenAI's chat completions. No process of a
 * kind sees its address or its key.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Log } from '@millhand/telemetry'
import { boundedFetch } from './bounded-fetch.ts'
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
  const asked = (onTaken: (bytes: number) => void) =>
    createOpenAICompatible({
      name: 'millhand',
      baseURL: url,
      ...(key !== undefined && { apiKey: key }),
      fetch: boundedFetch(MOST_RESPONSE_BYTES, onTaken),
    }).chatModel(model)
  return { ...boundedModel({ name: 'openai-compatible', model, asked, ...rest }), async close() {} }
}
