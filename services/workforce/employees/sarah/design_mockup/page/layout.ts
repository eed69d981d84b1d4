/** Where each part of a page stands in a viewport, by Yoga: the flex box of CSS without a browser. */
import {
  Align,
  BoxSizing,
  Display,
  Edge,
  FlexDirection,
  Gutter,
  Justify,
  loadYoga,
  MeasureMode,
  type Node,
  Wrap,
} from 'yoga-layout/load'
import type { Theme } from '../../scene/theme.ts'
import { type Box, fitText, type SetText } from '../../type/set.ts'
import { box, type Part } from './part.ts'
import { styleIn } from './sheet.ts'
import { type Style, VIEWPORTS, type Viewport } from './style.ts'

export interface Laid {
  readonly part: Part
  readonly style: Style
  readonly box: Box
  readonly text?: { readonly set: SetText; readonly box: Box }
  readonly children: readonly Laid[]
}

const yoga = await loadYoga()
const config = yoga.Config.create()
config.setUseWebDefaults(true)
// Browsers keep fractions of pixels.
config.setPointScaleFactor(0)

/** The parts of `page` that are seen there. */
export function layOut(page: Part, viewport: Viewport, theme: Theme): Laid {
  const tree = nodeOf(page, viewport, theme)
  tree.node.calculateLayout(VIEWPORTS[viewport].width, undefined)
  try {
    return read(tree, 0, 0)
  } finally {
    tree.node.freeRecursive()
  }
}

interface Tree {
  readonly part: Part
  readonly style: Style
  readonly node: Node
  readonly setIn: ((width: number) => SetText) | undefined
  readonly children: readonly Tree[]
}

function nodeOf(part: Part, viewport: Viewport, theme: Theme, given = styleIn(part.style, viewport)): Tree {
  const node = yoga.Node.create(config)
  const setIn = part.text === undefined ? undefined : setter(part.text, given, theme)
  styled(node, given)
  if (setIn) node.setMeasureFunc(measured(setIn))
  const shown = setIn ? [] : part.children.filter(child => styleIn(child.style, viewport).hidden !== true)
  const children =
    given.columns === undefined
      ? shown.map(child => nodeOf(child, viewport, theme))
      : rowsOf(shown, given.columns).map(cells => rowOf(cells, given, viewport, theme))
  for (const [at, child] of children.entries()) node.insertChild(child.node, at)
  return { part, style: given, node, setIn, children }
}

/** Yoga has no grid: a grid of equal columns is rows of equal shares, and the last row has room left. */
function rowOf(cells: readonly (Part | undefined)[], { gap = 0 }: Style, viewport: Viewport, theme: Theme): Tree {
  const style: Style = { row: true, gap, width: '100%', align: 'stretch' }
  const node = yoga.Node.create(config)
  styled(node, style)
  const [first] = cells
  const { padding = [0, 0], line } = first ? styleIn(first.style, viewport) : {}
  const room: Style = { grow: 1, padding: [0, padding[1] + (line ? 1 : 0)] }
  const children = cells.map(cell =>
    cell
      ? nodeOf(cell, viewport, theme, { ...styleIn(cell.style, viewport), grow: 1 })
      : nodeOf(box('div', 'wide', []), viewport, theme, room),
  )
  for (const [at, child] of children.entries()) node.insertChild(child.node, at)
  return { part: box('div', 'wide', []), style, node, setIn: undefined, children }
}

const rowsOf = (parts: readonly Part[], columns: number) =>
  Array.from({ length: Math.ceil(parts.length / columns) }, (_, row) =>
    Array.from({ length: columns }, (_, column) => parts[row * columns + column]),
  )

function setter(text: string, style: Style, theme: Theme): (width: number) => SetText {
  const { face = 'body', size = 16, weight = 400, leading = 1.5, tracking = 0, oneLine = false } = style
  const setting = { family: theme[face], weight, size, smallest: size, leading, tracking }
  const known = new Map<number, SetText>()
  return width => {
    const found = known.get(width)
    if (found) return found
    // What a float of 32 bits loses must not break a line.
    const room = { width: width + 0.02, height: oneLine ? size * leading : heightIn(style) }
    const set = fitText(text, setting, room)
    known.set(width, set)
    return set
  }
}

const heightIn = ({ height = Infinity, padding: [padY] = [0, 0], line }: Style): number =>
  height - 2 * (padY + (line ? 1 : 0))

const measured = (setIn: (width: number) => SetText) => (width: number, mode: MeasureMode) => {
  const widest = setIn(Infinity).width
  const wide = mode === MeasureMode.Undefined ? widest : Math.min(width, widest)
  // Rounded up to the part of a pixel that browsers count in.
  return { width: Math.ceil(wide * 64) / 64, height: setIn(mode === MeasureMode.Undefined ? Infinity : width).height }
}

function read({ part, style, node, setIn, children }: Tree, left: number, top: number): Laid {
  const { left: dx, top: dy, width, height } = node.getComputedLayout()
  const own = { x: left + dx, y: top + dy, width, height }
  const inner = children.map(child => read(child, own.x, own.y))
  if (!setIn) return { part, style, box: own, children: inner }
  const [padY, padX] = style.padding ?? [0, 0]
  const line = style.line ? 1 : 0
  const room = {
    x: own.x + padX + line,
    y: own.y + padY + line,
    width: width - 2 * (padX + line) - (style.after ?? 0),
    height: height - 2 * (padY + line),
  }
  return { part, style, box: own, text: { set: setIn(room.width), box: room }, children: inner }
}

const ALIGN = {
  'flex-start': Align.FlexStart,
  center: Align.Center,
  'flex-end': Align.FlexEnd,
  stretch: Align.Stretch,
} as const
const JUSTIFY = {
  'flex-start': Justify.FlexStart,
  center: Justify.Center,
  'flex-end': Justify.FlexEnd,
  'space-between': Justify.SpaceBetween,
} as const

function styled(node: Node, style: Style): void {
  const [padY, padX] = style.padding ?? [0, 0]
  node.setBoxSizing(BoxSizing.BorderBox)
  node.setDisplay(style.hidden === true ? Display.None : Display.Flex)
  node.setFlexDirection(style.row === true ? FlexDirection.Row : FlexDirection.Column)
  node.setFlexWrap(style.wrap === true ? Wrap.Wrap : Wrap.NoWrap)
  node.setAlignContent(Align.FlexStart)
  node.setAlignItems(ALIGN[style.align ?? 'stretch'])
  node.setJustifyContent(JUSTIFY[style.justify ?? 'flex-start'])
  node.setGap(Gutter.All, style.gap ?? 0)
  node.setPadding(Edge.Vertical, padY)
  node.setPadding(Edge.Left, padX)
  node.setPadding(Edge.Right, padX + (style.after ?? 0))
  node.setBorder(Edge.All, style.line ? 1 : 0)
  if (style.above) node.setBorder(Edge.Top, 1)
  node.setWidth(style.width)
  node.setMaxWidth(style.maxWidth)
  node.setHeight(style.height)
  node.setMinHeight(style.minHeight)
  node.setFlexShrink(style.firm === true ? 0 : 1)
  if (style.grow) {
    node.setFlexGrow(style.grow)
    node.setFlexBasis(0)
  }
}
