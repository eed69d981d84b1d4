/**
 * From the detection's map of how likely each pixel is text to boxes: the post-processing of Differentiable Binarization
 * (Liao et al., 2020) with the constants of PaddleOCR's PP-OCRv4. The map marks the inner part of each line.
 */
import { convexHull, smallestRectangle } from './rectangle.ts'
import type { Box, Point, Region } from './region.ts'

export interface TextMap {
  readonly width: number
  readonly height: number
  readonly data: Float32Array
}

const TEXT_LIKELY = 0.3
const BOX_LIKELY = 0.5
/** How much a box is grown: distance = area * ratio / perimeter. */
const UNCLIP_RATIO = 1.6
const MIN_SIDE = 3
const MAX_BOXES = 1000

export function findBoxes(map: TextMap): Box[] {
  const boxes: Box[] = []
  for (const points of components(map)) {
    const inner = smallestRectangle(convexHull(points))
    if (Math.min(inner.width, inner.height) < MIN_SIDE) continue
    const score = meanInside(map, inner)
    if (score < BOX_LIKELY) continue
    boxes.push({ ...grown(inner), score })
    if (boxes.length === MAX_BOXES) break
  }
  return boxes
}

/** For each connected patch of text its first and last pixel of each row: all that its hull needs. */
function* components({ width, height, data }: TextMap): Generator<Point[]> {
  const seen = new Uint8Array(width * height)
  const stack: number[] = []
  for (let start = 0; start < data.length; start++) {
    if (seen[start] || (data[start] as number) <= TEXT_LIKELY) continue
    const rows = new Map<number, [first: number, last: number]>()
    seen[start] = 1
    stack.push(start)
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const x = at % width
      const y = (at - x) / width
      const row = rows.get(y)
      if (!row) rows.set(y, [x, x])
      else if (x < row[0]) row[0] = x
      else if (x > row[1]) row[1] = x
      for (let ny = Math.max(y - 1, 0); ny <= Math.min(y + 1, height - 1); ny++) {
        for (let nx = Math.max(x - 1, 0); nx <= Math.min(x + 1, width - 1); nx++) {
          const next = ny * width + nx
          if (seen[next] || (data[next] as number) <= TEXT_LIKELY) continue
          seen[next] = 1
          stack.push(next)
        }
      }
    }
    yield [...rows].flatMap(([y, [first, last]]): Point[] => [
      [first, y],
      [last, y],
    ])
  }
}

function meanInside({ width, height, data }: TextMap, region: Region): number {
  const {
    center: [cx, cy],
    u: [ux, uy],
  } = region
  const [halfX, halfY] = [region.width / 2, region.height / 2]
  const reachX = Math.abs(ux) * halfX + Math.abs(uy) * halfY
  const reachY = Math.abs(uy) * halfX + Math.abs(ux) * halfY
  let sum = 0
  let count = 0
  for (let y = Math.max(Math.floor(cy - reachY), 0); y <= Math.min(Math.ceil(cy + reachY), height - 1); y++) {
    for (let x = Math.max(Math.floor(cx - reachX), 0); x <= Math.min(Math.ceil(cx + reachX), width - 1); x++) {
      const [dx, dy] = [x - cx, y - cy]
      if (Math.abs(dx * ux + dy * uy) > halfX || Math.abs(dy * ux - dx * uy) > halfY) continue
      sum += data[y * width + x] as number
      count++
    }
  }
  return count === 0 ? 0 : sum / count
}

function grown(region: Region): Region {
  const { width, height } = region
  const distance = (width * height * UNCLIP_RATIO) / (2 * (width + height))
  return { ...region, width: width + 2 * distance, height: height + 2 * distance }
}
