/** The headings, paragraphs, items of lists and blocks of code of an article, in Markdown or as plain text has them. */

/** A text has one space wherever there was more; code stands as it is written, with its fences. */
export interface Block {
  readonly kind: 'text' | 'item' | 'code'
  readonly text: string
}

export type Piece =
  | Block
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** An empty line, at which a long text may be cut. */
  | { readonly kind: 'gap' }

export function outlineOf(text: string): Piece[] {
  const lines = text.split('\n')
  const marks = marksOf(lines)
  const fences = fencesOf(lines)
  const pieces: Piece[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] as string
    const end = codeEnd(lines, at, fences)
    const heading = end === undefined ? headingAt(lines, at, marks) : undefined
    if (end !== undefined) {
      pieces.push({
        kind: 'code',
        text: lines
          .slice(at, end)
          .map(raw => raw.trimEnd())
          .join('\n'),
      })
      at = end
    } else if (heading) {
      pieces.push({ kind: 'heading', level: heading.level, text: heading.text })
      at = heading.next
    } else if (line.trim() === '' || /^(?:`{3,}|~{3,})$/.test(line.trim())) {
      pieces.push({ kind: 'gap' })
      at++
    } else {
      const paragraph = paragraphAt(lines, at, marks)
      pieces.push(paragraph.piece)
      at = paragraph.next
    }
  }
  return pieces
}

/** What of plain text counts as a heading in this one. */
interface Marks {
  /** Questions stand behind “Q:”, answers behind “A:”. */
  readonly areAsked: boolean
  /** It has no other headings, so a short line by itself or above a paragraph is one. */
  readonly areTitles: boolean
  /** Numbered questions by the line that they begin in, also those without a question mark. */
  readonly numbered: ReadonlyMap<number, Heading>
}

function marksOf(lines: readonly string[]): Marks {
  const count = (is: (line: string, at: number) => boolean) => lines.filter(is).length
  const areAsked = count(line => asking.test(line)) > 0 && count(line => answering.test(line)) > 0
  // The title that an article is given stands before its first line.
  const hasSigns = lines.some((line, at) => at > 0 && atx.test(line.trim()))
  const numbered = areAsked || hasSigns ? new Map<number, Heading>() : numberedOf(lines)
  const areMarked = hasSigns || numbered.size > 0 || lines.some((_, at) => at > 0 && underlined(lines, at))
  return { areAsked, areTitles: !areAsked && !areMarked, numbered }
}

/**
 * A list of questions that is numbered from 1 or 1.1 on has “4. compress() returns Z_BUF_ERROR.” too: each stands behind an empty
 * line, and its number is the next one.
 */
function numberedOf(lines: readonly string[]): ReadonlyMap<number, Heading> {
  const found = new Map<number, Heading>()
  let [chapter, section, questions] = [0, 0, 0]
  for (let at = 0; at < lines.length; at++) {
    const [, first, second] = entryNumber.exec(lines[at] ?? '') ?? []
    if (first === undefined || !isFirst(lines, at)) continue
    const own = [Number(first), Number(second ?? 0)] as const
    const isNext =
      second === undefined
        ? section === 0 && own[0] === chapter + 1
        : (own[0] === chapter && own[1] === section + 1) || (own[0] === chapter + 1 && own[1] === 1)
    const entry = isNext ? entryAt(lines, at) : undefined
    if (!entry) continue
    ;[chapter, section] = own
    if (entry.text.endsWith('?')) questions++
    found.set(at, entry)
  }
  return questions >= LEAST_QUESTIONS && 2 * questions >= found.size ? found : new Map()
}

const entryNumber = /^ {0,3}(\d{1,3})\.(?:(\d{1,2})\.?)? +\S/

/** To the line that ends its sentence, or to an empty one. */
function entryAt(lines: readonly string[], at: number): Heading | undefined {
  let next = at + 1
  while (next < at + MOST_LINES && !/[?.:]$/.test(flat(lines[next - 1])) && flat(lines[next]) !== '') next++
  const text = lines.slice(at, next).map(flat).join(' ')
  const isWhole = flat(lines[next]) === '' || /[?:]$/.test(text)
  return isWhole && text.length <= LONGEST_ENTRY && isFollowed(lines, next)
    ? { level: LOWEST, text: bare(text), next }
    : undefined
}

const LONGEST_ENTRY = 320
const LEAST_QUESTIONS = 3

const atx = /^(#{1,6}) (.+)$/
const asking = /^\s*(?:\*\*|__)?(?:Q|Question|Frage)(?: ?\d{1,3})? ?[:.)](?:\*\*|__)? +(\S.*)$/i
const answering = /^\s*(?:\*\*|__)?(?:A|Answer|Antwort)(?: ?\d{1,3})? ?[:.)](?:\*\*|__)? +(?=\S)/i
/** Below all headings that have a level. */
const LOWEST = 6

interface Heading {
  readonly level: number
  readonly text: string
  readonly next: number
}

function headingAt(lines: readonly string[], at: number, marks: Marks): Heading | undefined {
  const { areAsked, areTitles } = marks
  const entry = marks.numbered.get(at)
  if (entry) return entry
  const line = flat(lines[at])
  const [, signs, titled] = atx.exec(line) ?? []
  if (signs !== undefined && titled !== undefined)
    return { level: signs.length, text: titled.replace(/ #+$/, ''), next: at + 1 }
  // Between numbered questions a line of signs is a rule below the end of an answer.
  if (underlined(lines, at) && !(marks.numbered.size > 0 && answerEnd.test(line)))
    return { level: /^\s*=/.test(lines[at + 1] ?? '') ? 1 : 2, text: bare(line), next: at + 2 }
  if (areAsked && asking.test(line)) {
    let next = at + 1
    while (flat(lines[next]) !== '' && !answering.test(lines[next] ?? '') && next < at + MOST_LINES) next++
    const question = lines.slice(at, next).map(flat).join(' ')
    return { level: LOWEST, text: asking.exec(question)?.[1]?.replace(/(?:\*\*|__)$/, '') ?? question, next }
  }
  if (areTitles && isSection(lines, at)) return { level: LOWEST - 1, text: bare(line), next: at + 1 }
  const isNext = areTitles && question.test(line) && (answerEnd.test(flat(lines[at - 1])) || isSection(lines, at - 1))
  if (!(isFirst(lines, at) || isNext) || line.length > LONGEST || !isFollowed(lines, at + 1)) return undefined
  const isTitle = areTitles && isTitleLike(line) && !goesOn(line, lines[at + 1])
  return isTitle || question.test(line) || bold.test(line)
    ? { level: LOWEST, text: bare(line), next: at + 1 }
    : undefined
}

const isFirst = (lines: readonly string[], at: number): boolean =>
  at === 0 || flat(lines[at - 1]) === '' || atx.test(flat(lines[at - 1]))

/** A title right above a question is that of several questions. */
const isSection = (lines: readonly string[], at: number): boolean =>
  isTitleLike(flat(lines[at])) && isFirst(lines, at) && question.test(flat(lines[at + 1])) && isFollowed(lines, at + 2)

/** Questions may follow without an empty line, where the answer before them ends. */
const answerEnd = /[.!…]["”’»)]?$/

/** Lines of a question. */
const MOST_LINES = 6
const LONGEST = 160
const MOST_WORDS = 8

/** A question that stands by itself. An item of a list is none, unless its number is that of a chapter. */
const question = /^(?:\d{1,2}(?:\.\d{1,2})*[.)]? )?(?:\*\*|__)?[\p{Lu}\d“"‘'`][^?]*\?(?:\*\*|__)?$/u
const bold = /^(\*\*|__)[^*_]{1,120}\1:?$/
/** A capital first, and no sign that ends a sentence or a clause last. */
const title = /^(?:\d{1,2}(?:\.\d{1,2}){1,3}\.? )?[\p{Lu}\d][^|]*[^\s.,;:!?…|]$/u

const isTitleLike = (line: string) => title.test(line) && line.split(' ').length <= MOST_WORDS

/** The first line of a paragraph: it is long, or a sentence ends in it, and the next goes on in small letters. */
const goesOn = (line: string, next: string | undefined) =>
  /^\p{Ll}/u.test(flat(next)) && (line.length >= 50 || /[\p{Ll})][.!?] +\p{Lu}/u.test(line))

const bare = (line: string) =>
  line.replace(/^\d{1,2}(?:\.\d{1,2})*[.)]? (?=\D)/, '').replaceAll(/^(?:\*\*|__)|(?:\*\*|__):?$/g, '')

/** A line with another of signs below it. */
function underlined(lines: readonly string[], at: number): boolean {
  const line = flat(lines[at])
  return (
    isFirst(lines, at) &&
    /^(?:={3,}|-{3,}|~{3,})$/.test(flat(lines[at + 1])) &&
    /^[\p{L}\p{N}“"‘'`(*[].{0,150}$/u.test(line)
  )
}

/** Whether what comes next is text: of questions below one another only the last has an answer. */
function isFollowed(lines: readonly string[], from: number): boolean {
  let next = from
  while (next < lines.length && flat(lines[next]) === '' && next < from + 3) next++
  const line = flat(lines[next])
  return line !== '' && !question.test(line) && !atx.test(line) && !/^(?:\[|\|)/.test(line)
}

/**
 * Of each line that opens code, the one that closes it: the next that begins with as many of its signs. Found from the end, so that
 * no line is looked at twice, however many fences nothing closes.
 */
function fencesOf(lines: readonly string[]): ReadonlyMap<number, number> {
  const closes = new Map<number, number>()
  /** The fences further down, the nearest last; none is shorter than a nearer one. */
  const behind = { '`': [], '~': [] } as Record<string, { readonly at: number; readonly length: number }[]>
  for (let at = lines.length - 1; at >= 0; at--) {
    const [fence = ''] = fenceSigns.exec((lines[at] as string).trim()) ?? []
    const same = behind[fence.charAt(0)]
    if (!same) continue
    while (same.length > 0 && (same.at(-1)?.length ?? 0) < fence.length) same.pop()
    const close = same.at(-1)
    if (close) closes.set(at, close.at)
    same.push({ at, length: fence.length })
  }
  return closes
}

const fenceSigns = /^(?:`{3,}|~{3,})/

/** Where the code that begins here ends: behind its fence, or where text is indented no further. */
function codeEnd(lines: readonly string[], at: number, fences: ReadonlyMap<number, number>): number | undefined {
  const close = fences.get(at)
  if (close !== undefined) return close + 1
  // What nothing closes is a line under a title, and no beginning of code to the end of the text.
  if (fenceSigns.test((lines[at] ?? '').trim())) return undefined
  const depth = depthOf(lines, at - 2)
  if (depth === undefined || at < 2 || flat(lines[at - 1]) !== '') return undefined
  let end = at
  while (isDeeper(lines[end], depth)) end++
  return end > at && !isItem(flat(lines[at])) && !isItem(flat(lines[at - 2])) ? end : undefined
}

const isDeeper = (line: string | undefined, depth: number) =>
  line !== undefined && line.trim() !== '' && line.length - line.trimStart().length >= depth + 4

function depthOf(lines: readonly string[], at: number): number | undefined {
  const line = lines[at]
  if (line === undefined || line.trim() === '' || atx.test(line.trim())) return undefined
  return line.length - line.replace(answering, '').trimStart().length
}

const isItem = (line: string) => /^(?:[-*+|>]|\d+[.)]) ?/.test(line)

/** Lines up to the next empty one; an item, and a line of a table, stands for itself with those that go on with it. */
function paragraphAt(lines: readonly string[], at: number, marks: Marks): { piece: Piece; next: number } {
  const first = flat(marks.areAsked ? lines[at]?.replace(answering, '') : lines[at])
  const words = [first]
  let next = at + 1
  for (; next < lines.length; next++) {
    const line = flat(lines[next])
    const isOther = line === '' || isItem(line) || /^(?:`{3}|~{3})/.test(line) || atx.test(line)
    if (isOther || (marks.areAsked && (asking.test(line) || answering.test(line)))) break
    if (marks.areTitles && question.test(line) && headingAt(lines, next, marks)) break
    words.push(line)
  }
  return { piece: { kind: isItem(first) ? 'item' : 'text', text: words.join(' ') }, next }
}

const flat = (line: string | undefined) => (line ?? '').trim().replaceAll(/\s+/g, ' ')
