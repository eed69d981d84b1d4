/** The fields of ads: how much room each has, and how many of it are of use. As the platforms' pages for advertisers say. */
import { weightedLength } from '../lengths.ts'

export const platformIds = ['google_search', 'meta', 'linkedin', 'x'] as const
export type PlatformId = (typeof platformIds)[number]

export interface Field {
  readonly id: string
  /** `line`: a few words without a full stop. `text`: sentences. `path`: words of an address. */
  readonly kind: 'line' | 'text' | 'path'
  readonly limit: number
  readonly least: number
  readonly most: number
}

export interface Platform {
  readonly name: string
  readonly lengthOf: (text: string) => number
  readonly fields: readonly Field[]
  /** All of a field are handed over at once, and the platform combines them. */
  readonly isResponsive: boolean
  /** Exclamation marks in a line, and in a text. */
  readonly exclamations: readonly [line: number, text: number]
}

const field = (id: string, kind: Field['kind'], limit: number, least: number, most: number): Field => ({
  id,
  kind,
  limit,
  least,
  most,
})

/** Letters of Chinese, Japanese and Korean take two. */
const doubleWidth = (text: string): number =>
  Array.from(text).length +
  (text.match(
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/gu,
  )?.length ?? 0)

const units = (text: string): number => text.length

export const platforms: Readonly<Record<PlatformId, Platform>> = {
  google_search: {
    name: 'Google Search',
    lengthOf: doubleWidth,
    fields: [
      field('headline', 'line', 30, 3, 15),
      field('description', 'text', 90, 2, 4),
      field('path', 'path', 15, 0, 2),
    ],
    isResponsive: true,
    exclamations: [0, 1],
  },
  meta: {
    name: 'Meta',
    lengthOf: units,
    fields: [
      field('primary_text', 'text', 125, 1, 1),
      field('headline', 'line', 40, 1, 1),
      field('description', 'line', 30, 0, 1),
    ],
    isResponsive: false,
    exclamations: [1, 2],
  },
  linkedin: {
    name: 'LinkedIn',
    lengthOf: units,
    fields: [
      field('introductory_text', 'text', 150, 1, 1),
      field('headline', 'line', 70, 1, 1),
      field('description', 'line', 100, 0, 1),
    ],
    isResponsive: false,
    exclamations: [1, 2],
  },
  x: {
    name: 'X',
    lengthOf: weightedLength,
    // 280, less what the link takes.
    fields: [field('text', 'text', 257, 1, 1), field('headline', 'line', 70, 0, 1)],
    isResponsive: false,
    exclamations: [1, 2],
  },
}
