/**
 * The image model that the operator has configured: any server that speaks OpenAI's images and answers with the bytes. No
 * process of a kind sees its address or its key.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Log } from '@millhand/telemetry'
import { generateImage, wrapImageModel } from 'ai'
import { boundedFetch } from './bounded-fetch.ts'
import { RETRIES } from './bounded-model.ts'
import { type Depicted, type ImageModel, MOST_PICTURE_BYTES } from './image-model.ts'
import type { Fault } from './protocol.ts'
import { serverFault, statusOf, unavailable } from './server-fault.ts'

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
    async depict({ prompt, width, height }, limits) {
      const { maxCostMicros = Number.POSITIVE_INFINITY, onUsage, onWait, reserve, signal } = limits
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
          throw stop(unavailable('image model')) // Who was asked has logged why.
        })
        const answer = await take(input, init)
        if (answer.ok) onUsage({ inputTokens: 0, outputTokens: 0, costMicros: ++made * pictureMicros })
        return answer
      }
      const faultOf = (error: unknown): Fault => {
        if (fault !== undefined) return fault
        const why = serverFault('image model', error)
        return made > 0 && why.code === 'model_unavailable' ? noBytes : why
      }
      const provider = createOpenAICompatible({
        name: PROVIDER,
        baseURL: url,
        ...(key !== undefined && { apiKey: key }),
        fetch: ask,
      })
      onWait?.('The image model had not answered yet.')
      try {
        const { image } = await generateImage({
          model: wrapImageModel({
            model: provider.imageModel(model),
            middleware: {
              specificationVersion: 'v4',
              async wrapGenerate({ doGenerate }) {
                try {
                  return await doGenerate()
                } catch (error) {
                  if (!signal.aborted) onWait?.(faultOf(error).message)
                  throw error
                }
              },
            },
          }),
          prompt,
          size: nearest(width / height),
          providerOptions: { [PROVIDER]: { response_format: 'b64_json' } },
          maxRetries: RETRIES,
          abortSignal: signal,
        })
        return bounded(image.uint8Array)
      } catch (error) {
        if (signal.aborted) return untold(unavailable('image model'))
        // The error itself has the question, and may have the key.
        log.warn('image_model.failed', {
          status: statusOf(error),
          reason: error instanceof Error ? error.name : 'unknown',
        })
        return untold(faultOf(error))
      } finally {
        if (!signal.aborted) onWait?.(undefined)
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

const noBytes: Fault = {
  code: 'answer_invalid',
  message: `The image model’s server answered without the bytes of one picture (\`b64_json\`) of at most ${MOST_PICTURE_BYTES / 2 ** 20} MiB; addresses of pictures are not followed.`,
  retryable: false,
}
