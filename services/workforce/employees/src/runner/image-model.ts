/** The image model, as runs ask it: from the executor, in the name of the process of a kind, and within bounds. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KindSpec } from '../catalogue.ts'
import type { Limits } from './language-model.ts'
import type { Fault } from './protocol.ts'

export interface ImageModel {
  /** By which it is asked: results name it. */
  readonly name: string
  readonly model: string
  /** Never rejects. */
  depict(wish: PictureWish, limits: PictureLimits): Promise<Depicted>
}

export interface PictureWish {
  readonly prompt: string
  /** Of the picture that is to be made of it, in pixels. */
  readonly width: number
  readonly height: number
}

export type PictureLimits = Omit<Limits, 'seed'>

/** The bytes are as they came, whatever they are. */
export type Depicted =
  | { readonly kind: 'depicted'; readonly bytes: Uint8Array }
  | { readonly kind: 'untold'; readonly fault: Fault }

/** What one picture may have, as it comes. */
export const MOST_PICTURE_BYTES = 20 * 2 ** 20

/** Where none is configured. The service makes no such task; one from a time when there was one fails. */
export const noImageModel: ImageModel = {
  name: '',
  model: '',
  depict: async () => ({
    kind: 'untold',
    fault: { code: 'model_unavailable', message: 'No image model is configured here.', retryable: false },
  }),
}

/** What an image model is told before what the picture is to show. The parent reads and sends it. */
export const readImagePrompt = async ({ folder }: Pick<KindSpec, 'folder'>): Promise<string> =>
  (await readFile(join(folder, 'image-prompt.md'), 'utf8')).trim()
