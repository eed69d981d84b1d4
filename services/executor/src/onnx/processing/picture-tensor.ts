/** A picture as the tensor of a model that sees. */

import type { RunItem } from '@millhand/child-process'
import { type Dtype, type Elements, elements, type Preprocess } from '@millhand/model'
import { pictureOf } from './input.ts'
import { openPicture, toPixels } from './picture.ts'

type Picture = Extract<Preprocess, { name: 'image' }>

/** Reads a picture: resized, each channel as (value / 255 - mean) / std; uint8 models get 0-255. */
export function pictureReader(preprocess: Picture, dtype: Dtype): (input: RunItem['input']) => Promise<Elements> {
  const { width, height, channels, layout, fit, mean, std } = preprocess
  const depth = channels === 'gray' ? 1 : 3
  const plane = width * height
  const nchw = layout === 'nchw'
  return async input => {
    const opened = await openPicture(await pictureOf(input))
    const picture = opened.resize(width, height, { fit, background: '#fff' })
    const { data } = await toPixels(picture, depth)
    const into = elements(dtype, plane * depth) as Float32Array
    for (let channel = 0; channel < depth; channel++) {
      const from = channels === 'bgr' ? depth - 1 - channel : channel
      const [shift, width] = [mean[channel] as number, std[channel] as number]
      for (let pixel = 0; pixel < plane; pixel++) {
        const value = data[pixel * depth + from] as number
        into[nchw ? channel * plane + pixel : pixel * depth + channel] =
          dtype === 'uint8' ? value : (value / 255 - shift) / width
      }
    }
    return into
  }
}
