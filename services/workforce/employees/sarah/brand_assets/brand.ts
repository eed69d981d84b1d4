import type { Direction } from '../colour/direction.ts'
import type { Palette } from '../colour/palette.ts'
import type { TypeStep } from './result.ts'

export interface Brand {
  readonly name: string
  readonly seed: number
  readonly direction: Direction
  readonly palette: Palette
  readonly steps: readonly TypeStep[]
}
