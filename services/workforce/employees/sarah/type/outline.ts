/** The shapes of a line of glyphs, as a path, and the room that they take. */
import type { Face } from './faces.ts'
import type { Run } from './shape.ts'

export interface Ink {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Runs from left to right, the first at `x` on the baseline `y`, as the data of an SVG path: absolute, in M, L, Q, C and Z. */
export function outline(runs: readonly Run[], x: number, y: number, size: number): string {
  let d = ''
  each(runs, (face, id, dx, dy) => {
    const scale = size / face.unitsPerEm
    for (const { type, values } of drawn(face, id))
      d +=
        type +
        values
          .map((value, at) => round(at % 2 === 0 ? x + dx * size + value * scale : y - dy * size - value * scale))
          .join(' ')
  })
  return d
}

type Commands = ReturnType<Face['font']['glyphToJson']>

const known = new WeakMap<Face, Map<number, Commands>>()

function drawn(face: Face, id: number): Commands {
  const glyphs = known.get(face) ?? new Map<number, Commands>()
  known.set(face, glyphs)
  const made = glyphs.get(id) ?? face.font.glyphToJson(id)
  glyphs.set(id, made)
  return made
}

/** What is inked of runs at 0, 0 with a size of 1; undefined where nothing is. */
export function inkOf(runs: readonly Run[]): Ink | undefined {
  let ink: Ink | undefined
  each(runs, (face, id, dx, dy) => {
    const extents = face.font.glyphExtents(id)
    if (!extents || (extents.width === 0 && extents.height === 0)) return
    const em = face.unitsPerEm
    ink = union(ink, {
      left: dx + extents.xBearing / em,
      top: -dy - extents.yBearing / em,
      right: dx + (extents.xBearing + extents.width) / em,
      bottom: -dy - (extents.yBearing + extents.height) / em,
    })
  })
  return ink
}

export const union = (a: Ink | undefined, b: Ink): Ink =>
  a
    ? {
        left: Math.min(a.left, b.left),
        top: Math.min(a.top, b.top),
        right: Math.max(a.right, b.right),
        bottom: Math.max(a.bottom, b.bottom),
      }
    : b

function each(runs: readonly Run[], draw: (face: Face, id: number, dx: number, dy: number) => void): void {
  let at = 0
  for (const { glyphs } of runs)
    for (const { face, id, advance, dx, dy } of glyphs) {
      draw(face, id, at + dx, dy)
      at += advance
    }
}

const round = (value: number) => Math.round(value * 100) / 100
