/** A strip in pieces that the detection can see: it finds nothing in what is much longer than high. */
import sharp from 'sharp'
import { type Pixels, toPixels } from '../picture.ts'
import type { Point } from './region.ts'

/** Of the longer side of a picture to the shorter, above which it is a strip. */
const STRIP_RATIO = 20
/** In lengths of the shorter side. Slices overlap, so that each letter is whole in one of them. */
const SLICE_LENGTH = 16
const STEP = 14
/** No letter is smaller. */
const LEAST_SIDE = 6

export interface Slice {
  readonly picture: Pixels
  /** Of its first pixel, in the whole picture; outside of it where there is a margin. */
  readonly origin: Point
}

/** The picture itself, unless it is a strip. Slices have a margin along the strip, in the colour of its ground. */
export async function slicesOf(picture: Pixels): Promise<Slice[]> {
  const { width, height, channels, data } = picture
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (long <= STRIP_RATIO * short || short < LEAST_SIDE) return [{ picture, origin: [0, 0] }]
  const isLevel = width > height
  const background = groundOf(picture)
  const margin = isLevel ? { top: short, bottom: short } : { left: short, right: short }
  const slices: Slice[] = []
  for (let from = 0; from === 0 || from + (SLICE_LENGTH - STEP) * short < long; from += STEP * short) {
    const length = Math.min(SLICE_LENGTH * short, long - from)
    const area = isLevel ? { left: from, top: 0, width: length, height } : { left: 0, top: from, width, height: length }
    const slice = sharp(data, { raw: { width, height, channels } })
      .extract(area)
      .extend({ ...margin, background })
    slices.push({ picture: await toPixels(slice, 3), origin: isLevel ? [from, -short] : [-short, from] })
  }
  return slices
}

/** The median of each channel: letters cover less than their ground. */
function groundOf({ data }: Pixels): { readonly r: number; readonly g: number; readonly b: number } {
  const median = (channel: number) => {
    const counts = new Uint32Array(256)
    let pixels = 0
    for (let at = channel; at < data.length; at += 3, pixels++) (counts[data[at] as number] as number)++
    let value = 0
    for (let seen = counts[0] as number; seen * 2 < pixels; seen += counts[value] as number) value++
    return value
  }
  return { r: median(0), g: median(1), b: median(2) }
}
