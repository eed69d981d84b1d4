/**
 * The image model that the operator has configured: any server that speaks OpenAI's images and answers with the bytes. No
 * process of a kind sees its address or its key.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Log } from '@millhand/telemetry'
import { generateImage } from 'ai'
import { boundedFetch } from './bounded-fetch.ts'
import { isRefusal, RETRIES, statusOf } from './bounded-model.ts'
import { type Depicted, type ImageModel, MOST_PICTURE_BYTES } from './image-model.ts'
import type { Fault } from './protocol.ts'

export interface OpenAIImagesOptions {
  /** Where it is, up to `/v1`. The operator's own: it may be private. */
  readonly url: string
  readonly model: string
  readonly key?: string | undefined
  /** Of one picture, in millionths of a dollar. */
  readonly pictureMicros: number
  readonly log: Log
}

const PROVIDER = 'millhand'
/** A picture in base64, and what stands around it. */
const MOST_RESPONSE_BYTES = Math.ceil(MOST_PICTURE_BYTES / 3) * 4 + 2 ** 20

/**
 * Each answer of success is paid, whatever is in it, and none is asked for that would cost more than is left. The fault is then
 * `max_cost_reached`; else `answer_invalid` for one without a picture, `model_refused`, or `model_unavailable`.
 */
export function openAIImages({ url, model, key, pictureMicros, log }: OpenAIImagesOptions): ImageModel {
  const name = 'openai-images'
  const take = boundedFetch(MOST_RESPONSE_BYTES)
  return {
    name,
    model,
    async depict({ prompt, width, height }, { maxCostMicros = Number.POSITIVE_INFINITY, onUsage, reserve, signal }) {
      let made = 0
      let fault: Fault | undefined
      const stop = (why: Fault) => {
        fault = why
        return new Error(why.message)
      }
      /** Asks the server and nobody else: the AI SDK would follow an address that it answers with. */
      const ask: typeof fetch = async (input, init) => {
        if (String(input) !== `${url}/images/generations`) throw stop(noBytes)
        // Also when it is asked again: a server may have made a picture, and not sent it.
        if ((made + 1) * pictureMicros > maxCostMicros) throw stop(tooDear)
        await reserve((made + 1) * pictureMicros).catch(() => {
          throw stop(unavailable) // Who was asked has logged why.
        })
        const answer = await take(input, init)
        if (answer.ok) onUsage({ inputTokens: 0, outputTokens: 0, costMicros: ++made * pictureMicros })
        return answer
      }
      const provider = createOpenAICompatible({
        name: PROVIDER,
        baseURL: url,
        ...(key !== undefined && { apiKey: key }),
        fetch: ask,
      })
      try {
        const { image } = await generateImage({
          model: provider.imageModel(model),
          prompt,
          size: nearest(width / height),
          providerOptions: { [PROVIDER]: { response_format: 'b64_json' } },
          maxRetries: RETRIES,
          abortSignal: signal,
        })
        return bounded(image.uint8Array)
      } catch (error) {
        if (signal.aborted) return untold(unavailable)
        const status = statusOf(error)
        // The error itself has the question, and may have the key.
        log.warn('image_model.failed', { status, reason: error instanceof Error ? error.name : 'unknown' })
        if (fault !== undefined) return untold(fault)
        if (isRefusal(status)) return untold(refused(status))
        return untold(made > 0 ? noBytes : unavailable)
      }
    },
  }
}

/** The sizes that most servers know. */
const SIZES = [
  [1_024, 1_024],
  [1_536, 1_024],
  [1_024, 1_536],
] as const

function nearest(ratio: number): `${number}x${number}` {
  const off = ([wide, high]: (typeof SIZES)[number]) => Math.abs(Math.log(wide / high / ratio))
  const [width, height] = SIZES.reduce((best, size) => (off(size) < off(best) ? size : best))
  return `${width}x${height}`
}

const bounded = (bytes: Uint8Array): Depicted =>
  bytes.length > MOST_PICTURE_BYTES ? untold(noBytes) : { kind: 'depicted', bytes }

const untold = (fault: Fault): Depicted => ({ kind: 'untold', fault })

const tooDear: Fault = {
  code: 'max_cost_reached',
  message: 'A picture of the image model costs more than `max_cost` allows.',
  retryable: false,
}

const unavailable: Fault = {
  code: 'model_unavailable',
  message: 'The image model could not be asked, or did not answer.',
  retryable: true,
}

const noBytes: Fault = {
  code: 'answer_invalid',
  message: `The image model’s server answered without the bytes of one picture (\`b64_json\`) of at most ${MOST_PICTURE_BYTES / 2 ** 20} MiB; addresses of pictures are not followed.`,
  retryable: false,
}

const refused = (status: number): Fault => ({
  code: 'model_refused',
  message: `The image model’s server refused to make this picture, with status ${status}.`,
  retryable: false,
})
