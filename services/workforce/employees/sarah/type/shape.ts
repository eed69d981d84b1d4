/** Text as glyphs: which face has each character, which way it runs, and where a line may end. Lengths are in ems. */

import bidiFactory from 'bidi-js'
import { Buffer, Direction, shape as shapeBuffer } from 'harfbuzzjs'
import LineBreaker from 'linebreak'
import { LRUCache } from 'lru-cache'
import { eastAsianOf } from './east-asian.ts'
import { type Face, faceFor } from './faces.ts'
import type { EastAsian, FamilyId, Weight } from './families.ts'

interface Glyph {
  readonly face: Face
  readonly id: number
  readonly advance: number
  readonly dx: number
  readonly dy: number
}

/** Glyphs of one face and one direction, from left to right. */
export interface Run {
  readonly glyphs: readonly Glyph[]
  readonly width: number
  /** Of the bidirectional algorithm: odd from right to left. */
  readonly level: number
}

/** What stays on one line, and the white space behind it, which no line ends with. */
export interface Word {
  readonly text: string
  readonly runs: readonly Run[]
  readonly width: number
  readonly space: Run | undefined
}

export interface Shaped {
  readonly words: readonly Word[]
  /** Of the text as a whole, by its first letter that has a direction. */
  readonly rightToLeft: boolean
  /** Characters that no face has, each once. They are left out. */
  readonly missing: readonly string[]
}

export interface Style {
  readonly family: FamilyId
  readonly weight: Weight
  /** Space between letters, in ems. */
  readonly tracking?: number
  /** Of a part of a text: whose shapes the whole has. */
  readonly east?: EastAsian
}

const bidi = bidiFactory()
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** `text` has been through `visible`. */
export function shape(text: string, style: Style): Shaped {
  const key = `${style.family} ${style.weight} ${style.tracking} ${style.east} ${text}`
  const found = known.get(key) ?? shaped(text, style)
  known.set(key, found)
  return found
}

/**
 * A text is asked for at each width that it may have. Bounded by the characters of all keys: each is about a hundred bytes
 * as glyphs.
 */
const known = new LRUCache<string, Shaped>({ maxSize: 100_000, sizeCalculation: (_, key) => key.length })

function shaped(text: string, style: Style): Shaped {
  const missing = new Set<string>()
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text)
  const words: Word[] = []
  const east = style.east ?? eastAsianOf(text)
  for (const [from, to] of linePieces(text)) {
    const piece = text.slice(from, to)
    const body = piece.trimEnd()
    const runs = runsOf(body, from, levels, style, east, missing)
    const [space] = runsOf(piece.slice(body.length), from + body.length, levels, style, east, missing)
    words.push({ text: body, runs, width: sum(runs.map(({ width }) => width)), space })
  }
  return { words, rightToLeft: (paragraphs[0]?.level ?? 0) % 2 === 1, missing: [...missing] }
}

/** A word in parts of at most `width`, between what a reader takes for letters; a part has at least one. */
export function broken(word: Word, width: number, style: Style): Word[] {
  const parts: Word[] = []
  let part = ''
  let room = width
  const close = () => {
    const made = shape(part, style).words
    parts.push(...made.map(({ text, runs, width: wide }) => ({ text, runs, width: wide, space: undefined })))
    part = ''
    room = width
  }
  for (const { segment } of graphemes.segment(word.text)) {
    const advance = sum(shape(segment, style).words.map(({ width: wide }) => wide))
    if (part !== '' && advance > room) close()
    part += segment
    room -= advance
  }
  if (part !== '') close()
  const last = parts.pop()
  return last ? [...parts, { ...last, space: word.space }] : []
}

function* linePieces(text: string): Generator<[number, number]> {
  const breaker = new LineBreaker(text)
  let from = 0
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
    if (next.position > from) yield [from, next.position]
    from = next.position
  }
}

function runsOf(
  text: string,
  offset: number,
  levels: Uint8Array,
  style: Style,
  east: EastAsian,
  missing: Set<string>,
): Run[] {
  const spans: { face: Face; level: number; text: string }[] = []
  for (const { segment, index } of graphemes.segment(text)) {
    const whole = faceFor(segment, style.family, style.weight, east)
    // Where no face has the marks of a letter, the letter stands without them.
    const shown = whole ? segment : segment.normalize('NFD').replace(/\p{M}+/gu, '')
    const face = whole ?? (shown === '' ? undefined : faceFor(shown, style.family, style.weight, east))
    const level = levels[offset + index] ?? 0
    const last = spans.at(-1)
    if (!whole) missing.add(segment)
    if (!face) continue
    if (last && last.face === face && last.level === level) last.text += shown
    else spans.push({ face, level, text: shown })
  }
  return spans.map(span => runOf(span.text, span.face, span.level, style.tracking ?? 0))
}

function runOf(text: string, face: Face, level: number, tracking: number): Run {
  const buffer = new Buffer()
  buffer.addText(text)
  buffer.guessSegmentProperties()
  buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR)
  shapeBuffer(face.font, buffer)
  const positions = buffer.getGlyphPositions()
  const glyphs = buffer.getGlyphInfos().map(({ codepoint }, at) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[at] ?? {}
    const advance = xAdvance / face.unitsPerEm
    return {
      face,
      id: codepoint,
      advance: advance > 0 && !face.joins ? advance + tracking : advance,
      dx: xOffset / face.unitsPerEm,
      dy: yOffset / face.unitsPerEm,
    }
  })
  return { glyphs, width: sum(glyphs.map(({ advance }) => advance)), level }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
