/** The parts of a syntax tree that the parser could not make sense of. */

import type { LineRange } from './finding.ts'
import type { Node } from './grammar.ts'

/** A part of the text, by its offsets and lines. */
export interface Unparsed extends LineRange {
  readonly start: number
  /** The offset after it. */
  readonly end: number
}

/** What of a tree the rules may see. */
export interface Broken {
  /** In the order of the text, none within another. */
  readonly parts: readonly Unparsed[]
  /** The nodes to search: the root, or what is whole beside a broken part that is too wide to be searched. */
  readonly roots: readonly Node[]
}

/** Declarations and statements that are whole within a broken part are parsed. One pass, without `parent`, which takes as long as the tree is deep. */
export function brokenIn(root: Node, text: string): Broken {
  const parts: Unparsed[] = []
  const whole: Node[] = []
  let isWide = false
  const open: Node[] = [root]
  for (let node = open.pop(); node; node = open.pop()) {
    if (!node.hasError) {
      whole.push(node)
      continue
    }
    const isTooWide = node.isError && node.childCount > MOST_CHILDREN
    isWide ||= isTooWide
    const { isError } = node
    const sound = (isTooWide ? [] : node.children).flatMap(child =>
      child && child.childCount > 0 && (!isError || isPart.test(child.type)) ? child : [],
    )
    for (const child of sound) open.push(child)
    if (!node.isError) continue
    let [start, row] = [node.startIndex, node.startPosition.row]
    for (const child of sound) {
      parts.push(...partOf(text, start, child.startIndex, row))
      start = child.endIndex
      row = child.endPosition.row
    }
    parts.push(...partOf(text, start, node.endIndex, row))
  }
  return { parts: parts.toSorted((a, b) => a.start - b.start), roots: isWide ? whole : [root] }
}

/** Of a broken part: its children are a list, and to search that takes time by the square of its length. */
const MOST_CHILDREN = 1000

/** What stands by itself in the grammars of all languages. */
const isPart =
  /(?:_declaration|_statement|_definition|_item)$|^(?:method|class|module|block|compilation_unit|source_file|program)$/

/** Without the blanks around it; `row` is the line of `start`, from 0. */
function partOf(text: string, start: number, end: number, row: number): Unparsed[] {
  const part = text.slice(start, end)
  const broken = part.trim()
  if (broken === '') return []
  const blanks = part.length - part.trimStart().length
  const from = row + 1 + lineEnds(part.slice(0, blanks))
  return [{ start: start + blanks, end: start + blanks + broken.length, from, to: from + lineEnds(broken) }]
}

const lineEnds = (text: string): number => text.split('\n').length - 1

/** Whether an offset is in one of the parts, which are sorted. */
export function isUnparsed(parts: readonly Unparsed[], offset: number): boolean {
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((parts[middle]?.end ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  const part = parts[low]
  return part !== undefined && part.start <= offset
}
