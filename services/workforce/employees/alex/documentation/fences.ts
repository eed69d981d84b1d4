/** The blocks of code in a comment. */

/** Lines outside blocks, or the lines of one block with the marks left out. */
export interface FencedPart {
  readonly lines: readonly string[]
  /** Only of a block: how far it is indented, its language, and the line that opens and the one that closes it. */
  readonly fence?: { readonly indent: string; readonly language: string; readonly marks: readonly [string, string] }
}

/** A block that nothing closes is none. */
export function fencedParts(lines: readonly string[]): FencedPart[] {
  const parts: FencedPart[] = []
  let outside: string[] = []
  const flush = () => {
    if (outside.length > 0) parts.push({ lines: outside })
    outside = []
  }
  const ends = closingLines(lines)
  let next = 0
  // What nothing closes here is not closed further down either.
  const unclosed = new Set<string>()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, indent = '', mark = '', language = ''] = OPENING.exec(line) ?? []
    while (ends[next] && (ends[next]?.at ?? 0) <= at) next++
    const end = mark === '' || unclosed.has(mark) ? undefined : closingLine(ends, next, mark)
    if (mark !== '' && end === undefined) unclosed.add(mark)
    if (end === undefined) outside.push(line)
    else {
      flush()
      const inside = lines.slice(at + 1, end).map(each => each.slice(Math.min(indent.length, each.search(/\S|$/))))
      parts.push({ lines: inside, fence: { indent, language, marks: [line, lines[end] ?? ''] } })
      at = end
    }
  }
  flush()
  return parts
}

function closingLine(ends: readonly { at: number; mark: string }[], from: number, mark: string): number | undefined {
  for (let at = from; at < ends.length; at++) if (ends[at]?.mark.startsWith(mark)) return ends[at]?.at
  return undefined
}

const OPENING = /^(\s*)(`{3,}|~{3,})[ \t]*([\w+#-]{0,20})[^`]*$/

const closingLines = (lines: readonly string[]) =>
  lines.flatMap((line, at) => {
    const mark = line.trim()
    return /^(?:`{3,}|~{3,})$/.test(mark) ? [{ at, mark }] : []
  })
