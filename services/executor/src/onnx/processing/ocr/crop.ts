/** A line of a picture, turned level, as the recognition wants it. */
import type { Pixels } from '../picture.ts'
import type { Region } from './region.ts'

/** Width of a region at this height. */
export const widthAt = (height: number, region: Region): number =>
  Math.max(1, Math.ceil((height * region.width) / Math.max(region.height, 1)))

/**
 * Writes the region, `width` by `height`, into a row of `stride` columns at `offset` of a batch: blue, green, red planes,
 * each value from -1 to 1. Bilinear; where the picture is made smaller, the mean of several samples.
 */
export function cropInto(
  into: Float32Array,
  offset: number,
  stride: number,
  picture: Pixels,
  region: Region,
  width: number,
  height: number,
): void {
  const {
    center: [cx, cy],
    u: [ux, uy],
  } = region
  const [stepX, stepY] = [region.width / width, region.height / height]
  const samples = Math.min(4, Math.max(1, Math.round(Math.max(stepX, stepY))))
  const weight = 2 / 255 / (samples * samples)
  const plane = stride * height
  const sum = new Float64Array(3)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      sum.fill(0)
      for (let sample = 0; sample < samples * samples; sample++) {
        const along = (column + ((sample % samples) + 0.5) / samples) * stepX - region.width / 2
        const down = (row + (Math.floor(sample / samples) + 0.5) / samples) * stepY - region.height / 2
        addPixel(sum, picture, cx + along * ux - down * uy, cy + along * uy + down * ux)
      }
      for (let channel = 0; channel < 3; channel++) {
        into[offset + channel * plane + row * stride + column] = (sum[2 - channel] as number) * weight - 1
      }
    }
  }
}

/** Adds the colour at a point between pixels; beyond the edge it is the edge's. */
function addPixel(sum: Float64Array, { width, height, data }: Pixels, x: number, y: number): void {
  const px = Math.min(Math.max(x - 0.5, 0), width - 1)
  const py = Math.min(Math.max(y - 0.5, 0), height - 1)
  const [left, top] = [Math.floor(px), Math.floor(py)]
  const [fx, fy] = [px - left, py - top]
  const right = left + 1 < width ? 3 : 0
  const below = top + 1 < height ? width * 3 : 0
  const at = (top * width + left) * 3
  for (let channel = 0; channel < 3; channel++) {
    const a = data[at + channel] as number
    const b = data[at + right + channel] as number
    const c = data[at + below + channel] as number
    const d = data[at + below + right + channel] as number
    const upper = a + (b - a) * fx
    sum[channel] = (sum[channel] as number) + upper + (c + (d - c) * fx - upper) * fy
  }
}
