/** Text that is set from top to bottom, each with the room that it needs. */
import { type Svg, text } from '../picture/svg.ts'
import { fitText, type Setting } from '../type/set.ts'

export interface Written {
  readonly svg: readonly Svg[]
  readonly height: number
  /** Not all of the text had room. */
  readonly cut: boolean
}

export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  /** The most that it may be high. */
  readonly height: number
  readonly align?: 'start' | 'center' | 'end'
}

/** Nothing where there is no text. */
export function written(
  said: string,
  setting: Setting & { readonly smallest: number },
  place: Place,
  ink: string,
): Written {
  if (said === '') return { svg: [], height: 0, cut: false }
  const set = fitText(said, setting, place)
  const height = Math.min(place.height, set.height)
  return { svg: [text(set, { ...place, height }, ink, place.align ?? 'start', 'top')], height, cut: set.cut }
}
