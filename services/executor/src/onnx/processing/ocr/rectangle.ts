/** The smallest turned rectangle around points. */
import type { Point, Region } from './region.ts'

/** Andrew's monotone chain; counter-clockwise, without collinear points. */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1])
  if (sorted.length < 3) return sorted
  const half = (from: readonly Point[]) => {
    const chain: Point[] = []
    for (const point of from) {
      while (chain.length > 1 && cross(chain.at(-2) as Point, chain.at(-1) as Point, point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.reverse())]
}

/** By rotating calipers: one of its sides lies on an edge of the hull. Its `u` points right, within 45 degrees. */
export function smallestRectangle(hull: readonly Point[]): Region {
  let best: Region | undefined
  for (let index = 0; index < hull.length; index++) {
    const [ax, ay] = hull[index] as Point
    const [bx, by] = hull[(index + 1) % hull.length] as Point
    const length = Math.hypot(bx - ax, by - ay)
    if (length === 0) continue
    const region = rectangleAround(hull, rightwards((bx - ax) / length, (by - ay) / length))
    if (!best || region.width * region.height < best.width * best.height) best = region
  }
  return best ?? { center: hull[0] ?? [0, 0], u: [1, 0], width: 0, height: 0 }
}

/** Of the four directions of the sides the one that points right. */
function rightwards(x: number, y: number): Point {
  if (Math.abs(x) >= Math.abs(y)) return x >= 0 ? [x, y] : [-x, -y]
  return y >= 0 ? [y, -x] : [-y, x]
}

/** The rectangle around points whose sides run along `u`. */
export function rectangleAround(points: readonly Point[], u: Point): Region {
  const [ux, uy] = u
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [x, y] of points) {
    const along = x * ux + y * uy
    const down = y * ux - x * uy
    left = Math.min(left, along)
    right = Math.max(right, along)
    top = Math.min(top, down)
    bottom = Math.max(bottom, down)
  }
  const [along, down] = [(left + right) / 2, (top + bottom) / 2]
  return { center: [along * ux - down * uy, along * uy + down * ux], u, width: right - left, height: bottom - top }
}

const cross = ([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
