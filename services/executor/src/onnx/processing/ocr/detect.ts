/** Finds where the text of a picture is. */
import type { Tensor } from '@millhand/model'
import type { Session } from '@millhand/onnxruntime'
import sharp from 'sharp'
import { type Pixels, toPixels } from '../picture.ts'
import { findBoxes } from './boxes.ts'
import type { Box } from './region.ts'
import { slicesOf } from './slices.ts'

/** The model sees the picture at this many pixels: more finds smaller letters and costs time in proportion. */
const SEEN_PIXELS = 1_000_000
const MAX_ENLARGED = 1.25
/** The network halves its picture five times. */
const MULTIPLE = 32
const MAX_SEEN_SIDE = 4096

// PP-OCRv4's own, for blue, green, red.
const MEAN = [0.485, 0.456, 0.406] as const
const DEVIATION = [0.229, 0.224, 0.225] as const

/** Boxes in the picture's own pixels, upright to within 45 degrees or turned where the text runs down. */
export async function detect(session: Session, picture: Pixels): Promise<Box[]> {
  const found: Box[] = []
  for (const { picture: slice, origin } of await slicesOf(picture))
    for (const box of await detectIn(session, slice))
      found.push({ ...box, center: [box.center[0] + origin[0], box.center[1] + origin[1]] })
  return found
}

async function detectIn(session: Session, picture: Pixels): Promise<Box[]> {
  const seen = await resized(picture)
  const [input] = session.inputs
  const outputs = await session.run(new Map([[input?.name ?? 'x', toTensor(seen)]]))
  const [map] = outputs.values()
  const boxes = findBoxes({ width: seen.width, height: seen.height, data: map?.data as Float32Array })
  return boxes.map(box => readable(scaled(box, picture.width / seen.width, picture.height / seen.height)))
}

function resized(picture: Pixels): Promise<Pixels> {
  const { width, height } = picture
  const scale = Math.min(MAX_ENLARGED, Math.sqrt(SEEN_PIXELS / (width * height)))
  const side = (length: number) =>
    Math.min(MAX_SEEN_SIDE, Math.max(MULTIPLE, Math.round((length * scale) / MULTIPLE) * MULTIPLE))
  const raw = { width, height, channels: picture.channels }
  return toPixels(sharp(picture.data, { raw }).resize(side(width), side(height), { fit: 'fill' }), 3)
}

function toTensor({ width, height, data }: Pixels): Tensor {
  const plane = width * height
  const into = new Float32Array(3 * plane)
  for (let channel = 0; channel < 3; channel++) {
    const [mean, deviation] = [MEAN[channel] as number, DEVIATION[channel] as number]
    for (let pixel = 0; pixel < plane; pixel++) {
      into[channel * plane + pixel] = ((data[pixel * 3 + 2 - channel] as number) / 255 - mean) / deviation
    }
  }
  return { dtype: 'float32', shape: [1, 3, height, width], data: into }
}

/** The two scales differ by rounding only, so that a rectangle stays one. */
function scaled(box: Box, x: number, y: number): Box {
  const { center, u, width, height } = box
  const scale = (x + y) / 2
  const [ux, uy] = Math.abs(u[0]) > 0.999 ? [x, y] : [scale, scale]
  return { ...box, center: [center[0] * x, center[1] * y], width: width * ux, height: height * uy }
}

/** A tall box is a line that runs down. */
function readable(box: Box): Box {
  if (box.height < box.width * 1.5) return box
  const {
    u: [x, y],
    width,
    height,
  } = box
  return { ...box, u: [-y, x], width: height, height: width }
}
