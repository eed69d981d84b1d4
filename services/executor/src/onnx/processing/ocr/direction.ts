/** Tells which lines stand on their heads. */
import type { Session } from '@millhand/onnxruntime'
import type { Pixels } from '../picture.ts'
import { cropInto, widthAt } from './crop.ts'
import { type Region, upsideDown } from './region.ts'

const HEIGHT = 48
const WIDTH = 192
/** Below this the model is not believed. */
const SURE = 0.9
const LINES_AT_ONCE = 16

/** Of a longer line the model sees a part: in its width the letters of the whole would be a pixel wide. */
const MAX_RATIO = 20
const SEEN_RATIO = 8

/** The regions, those turned that are read upside down. */
export async function turnUpright<T extends Region>(
  session: Session,
  picture: Pixels,
  regions: readonly T[],
): Promise<T[]> {
  const upright: T[] = []
  const size = 3 * HEIGHT * WIDTH
  for (let from = 0; from < regions.length; from += LINES_AT_ONCE) {
    const lines = regions.slice(from, from + LINES_AT_ONCE)
    const group = lines.map(seen)
    const data = new Float32Array(group.length * size)
    for (const [row, region] of group.entries()) {
      cropInto(data, row * size, WIDTH, picture, region, Math.min(WIDTH, widthAt(HEIGHT, region)), HEIGHT)
    }
    const shape = [group.length, 3, HEIGHT, WIDTH]
    const [input] = session.inputs
    const outputs = await session.run(new Map([[input?.name ?? 'x', { dtype: 'float32', shape, data }]]))
    const [scores] = outputs.values()
    upright.push(
      ...lines.map((region, row) => (Number(scores?.data[row * 2 + 1]) > SURE ? upsideDown(region) : region)),
    )
  }
  return upright
}

/** The middle of a long line. */
const seen = (region: Region): Region =>
  region.width <= MAX_RATIO * region.height ? region : { ...region, width: SEEN_RATIO * region.height }
