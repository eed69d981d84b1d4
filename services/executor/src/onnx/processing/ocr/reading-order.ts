/** Boxes as one reads them: rows from top to bottom, each from left to right, however the page is turned. */
import type { Region } from './region.ts'

/** Two boxes share a row when their middles are closer than this part of the lower one's height. */
const SAME_ROW = 0.5

export function inRows<T extends Region>(regions: readonly T[]): T[][] {
  const [ux, uy] = pageDirection(regions)
  const placed = regions.map(region => {
    const [x, y] = region.center
    return { region, along: x * ux + y * uy, down: y * ux - x * uy }
  })
  placed.sort((a, b) => a.down - b.down)
  const rows: (typeof placed)[] = []
  for (const item of placed) {
    const row = rows.at(-1)
    const last = row?.at(-1)
    const near = last && Math.min(last.region.height, item.region.height) * SAME_ROW
    if (row && last && near !== undefined && item.down - last.down < near) row.push(item)
    else rows.push([item])
  }
  return rows.map(row => row.sort((a, b) => a.along - b.along).map(({ region }) => region))
}

/** Where the lines run, the longer the weightier. */
function pageDirection(regions: readonly Region[]): [number, number] {
  let [x, y] = [0, 0]
  for (const { u, width } of regions) {
    x += u[0] * width
    y += u[1] * width
  }
  const length = Math.hypot(x, y)
  return length === 0 ? [1, 0] : [x / length, y / length]
}
