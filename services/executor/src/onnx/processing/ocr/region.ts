/** A turned rectangle of a picture. */
export type Point = readonly [x: number, y: number]

export interface Region {
  readonly center: Point
  /** Unit vector along the text; down, seen by a reader, is (-u[1], u[0]). */
  readonly u: Point
  readonly width: number
  readonly height: number
}

export interface Box extends Region {
  /** How sure the detection is that there is text, from 0 to 1. */
  readonly score: number
}

/** The corners from the text's top left, clockwise. */
export function corners({ center: [x, y], u: [ux, uy], width, height }: Region): Point[] {
  const at = (right: number, down: number): Point => [
    x + (ux * right * width - uy * down * height) / 2,
    y + (uy * right * width + ux * down * height) / 2,
  ]
  return [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)]
}

/** The same rectangle read upside down. */
export const upsideDown = <T extends Region>(region: T): T => ({ ...region, u: [-region.u[0], -region.u[1]] })
