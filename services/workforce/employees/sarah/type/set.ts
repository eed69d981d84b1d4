/** Text in a box: the largest size at which it stays inside. */
import { eastAsianOf } from './east-asian.ts'
import { metricsOf } from './faces.ts'
import { type Ink, inkOf, outline, union } from './outline.ts'
import { broken, type Run, type Shaped, type Style, shape, type Word } from './shape.ts'

export interface Setting extends Style {
  /** In pixels. */
  readonly size: number
  /** Height of a line over the size. */
  readonly leading: number
  /** Lines are of like length, for a title: none ends with a word alone. */
  readonly balanced?: boolean
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Line {
  /** From left to right. */
  readonly runs: readonly Run[]
  readonly width: number
}

/** Lines of a text at a size, with nothing said yet of where they stand. */
export interface SetText extends Setting {
  readonly text: string
  readonly lines: readonly Line[]
  readonly rightToLeft: boolean
  /** Of the widest line, in pixels. */
  readonly width: number
  readonly height: number
  /** Not all of the text is there: it ends in an ellipsis. */
  readonly cut: boolean
  readonly missing: readonly string[]
}

/** At most so large as `setting` says, at least `smallest`: there a word may be broken, and what has no room is cut off. */
export function fitText(
  text: string,
  given: Setting & { readonly smallest: number },
  { width, height }: { readonly width: number; readonly height: number },
): SetText {
  const setting = { ...given, east: eastAsianOf(text) }
  const shaped = shape(text, setting)
  const widest = Math.max(0, ...shaped.words.map(word => word.width))
  for (let size = setting.size; size > setting.smallest; size *= 0.94) {
    if (widest * size > width) continue
    const lines = linesOf(shaped.words, width / size, setting)
    const set = setLines(text, shaped, lines, { ...setting, size }, false)
    if (!isInside(set, width, height)) continue
    const even = given.balanced ? evenLines(shaped.words, lines, widest, width / size, setting) : lines
    return setLines(text, shaped, even, { ...setting, size }, false)
  }
  const size = setting.smallest
  const lines = linesOf(shaped.words, width / size, setting)
  const room = Math.max(1, Math.floor(height / (size * setting.leading)))
  if (lines.length <= room) return setLines(text, shaped, lines, { ...setting, size }, false)
  const kept = lines.slice(0, room)
  kept[room - 1] = withEllipsis(kept[room - 1] ?? [], width / size, setting)
  return setLines(text, shaped, kept, { ...setting, size }, true)
}

/** The path of a set text in a box, and what it inks. Ink that would still leave the box is drawn smaller. */
export function place(
  set: SetText,
  box: Box,
  align: 'start' | 'center' | 'end' = 'start',
  vertical: 'top' | 'middle' | 'bottom' = 'top',
): { readonly path: string; readonly ink: Ink | undefined } {
  const inked = inkAt(set, box, align, vertical, set.size)
  const size = inked ? set.size * Math.min(1, shrinkage(inked, box)) : set.size
  const ink = inked && moved(inkAt(set, box, align, vertical, size), box)
  const path = positions(set, box, align, vertical, size)
    .map(({ line, x, y }) => outline(line.runs, x + (ink?.dx ?? 0), y + (ink?.dy ?? 0), size))
    .join('')
  return { path, ink: ink?.ink }
}

function setLines(text: string, shaped: Shaped, lines: Word[][], setting: Setting, cut: boolean): SetText {
  const made = lines.map(words => lineOf(words))
  return {
    ...setting,
    text,
    lines: made,
    rightToLeft: shaped.rightToLeft,
    width: setting.size * Math.max(0, ...made.map(({ width }) => width)),
    height: setting.size * setting.leading * made.length,
    cut,
    missing: shaped.missing,
  }
}

function linesOf(words: readonly Word[], width: number, style: Style): Word[][] {
  const lines: Word[][] = []
  let line: Word[] = []
  let used = 0
  for (const word of words.flatMap(word => (word.width > width ? broken(word, width, style) : [word]))) {
    if (line.length > 0 && used + word.width > width + 1e-9) {
      lines.push(line)
      line = []
      used = 0
    }
    line.push(word)
    used += word.width + (word.space?.width ?? 0)
  }
  return line.length > 0 ? [...lines, line] : lines
}

/** The same words on as many lines, in the narrowest width that takes them. Widths are in ems, found to a hundredth. */
function evenLines(words: readonly Word[], lines: Word[][], widest: number, width: number, style: Style): Word[][] {
  let [low, high, best] = [widest, width, lines]
  while (lines.length > 1 && high - low > 0.01) {
    const middle = (low + high) / 2
    const tried = linesOf(words, middle, style)
    if (tried.length > lines.length) low = middle
    else [high, best] = [middle, tried]
  }
  return best
}

function withEllipsis(words: readonly Word[], width: number, style: Style): Word[] {
  const kept = [...words]
  const text = () => kept.map(word => word.text + (word.space ? ' ' : '')).join('')
  for (;;) {
    const said = `${text().trimEnd()}…`
    const set = shape(said, style).words
    if (kept.length === 0 || sum(set.map(word => word.width + (word.space?.width ?? 0))) <= width) return [...set]
    const last = kept.pop()
    const shorter = [...(last?.text ?? '')].slice(0, -1).join('')
    if (last && shorter !== '') kept.push({ ...last, text: shorter, space: undefined })
  }
}

/** The order in which the runs of a line are seen: rule L2 of the bidirectional algorithm. */
function lineOf(words: readonly Word[]): Line {
  const runs = words.flatMap((word, at) => [...word.runs, ...(word.space && at < words.length - 1 ? [word.space] : [])])
  const highest = Math.max(0, ...runs.map(({ level }) => level))
  for (let level = highest; level > 0; level--)
    for (let from = 0; from < runs.length; from++) {
      let to = from
      while ((runs[to]?.level ?? -1) >= level) to++
      runs.splice(from, to - from, ...runs.slice(from, to).reverse())
      from = to
    }
  return { runs, width: sum(runs.map(({ width }) => width)) }
}

function positions(set: SetText, box: Box, align: string, vertical: string, size: number) {
  const { ascent, descent } = metricsOf(set.family)
  const step = size * set.leading
  const spare = box.height - step * set.lines.length
  const top = box.y + (vertical === 'middle' ? spare / 2 : vertical === 'bottom' ? spare : 0)
  const baseline = (step + (ascent - descent) * size) / 2
  const side = align === 'center' ? 0.5 : (align === 'end') !== set.rightToLeft ? 1 : 0
  return set.lines.map((line, at) => ({
    line,
    x: box.x + side * (box.width - line.width * size),
    y: top + at * step + baseline,
  }))
}

function inkAt(set: SetText, box: Box, align: string, vertical: string, size: number): Ink | undefined {
  let all: Ink | undefined
  for (const { line, x, y } of positions(set, box, align, vertical, size)) {
    const ink = inkOf(line.runs)
    if (ink)
      all = union(all, {
        left: x + ink.left * size,
        top: y + ink.top * size,
        right: x + ink.right * size,
        bottom: y + ink.bottom * size,
      })
  }
  return all
}

/** Rounding of a path's numbers may add so much. */
const SLACK = 0.02

const shrinkage = (ink: Ink, box: Box) =>
  Math.min((box.width - 2 * SLACK) / (ink.right - ink.left), (box.height - 2 * SLACK) / (ink.bottom - ink.top))

/** By how much ink that fits has to move to be inside: an italic may begin left of its line. */
function moved(ink: Ink | undefined, box: Box) {
  if (!ink) return undefined
  const shift = (low: number, high: number, from: number, to: number) =>
    low < from + SLACK ? from + SLACK - low : high > to - SLACK ? to - SLACK - high : 0
  const dx = shift(ink.left, ink.right, box.x, box.x + box.width)
  const dy = shift(ink.top, ink.bottom, box.y, box.y + box.height)
  return { dx, dy, ink: { left: ink.left + dx, top: ink.top + dy, right: ink.right + dx, bottom: ink.bottom + dy } }
}

function isInside(set: SetText, width: number, height: number): boolean {
  if (set.height > height + 1e-9) return false
  const ink = inkAt(set, { x: 0, y: 0, width, height }, 'start', 'top', set.size)
  return !ink || shrinkage(ink, { x: 0, y: 0, width, height }) >= 1
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
