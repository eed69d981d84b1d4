/** Reads HTML once, from front to back. Scripts in it are text like any other. */
import { Parser } from 'htmlparser2'
import { Refusal } from '../../../src/brief.ts'
import { visibleText } from '../../../src/text/visible-text.ts'
import { assertReadable, type Block, flat, type Page, type PageElement } from './page.ts'

/** As deep as browsers nest elements; deeper pages are made to hurt whoever reads them. */
const DEEPEST = 512
const MOST_ATTRIBUTES = 1_000
/** What is kept of an element's text, but for structured data. */
const LONGEST_TEXT = 2_000
/** Elements within each other whose texts are kept. */
const MOST_OPEN = 16

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const kept = words('html head title meta link base body h1 h2 h3 h4 h5 h6 a img script')
const silent = words(
  'script style noscript template svg math title textarea select datalist iframe object video audio canvas',
)
const aside = words('nav footer aside form button dialog menu')
const blocks = words(
  'address article aside blockquote body br button caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead title tr ul',
)
/** What may stand in a head. Anything else ends it. */
const ofHead = words('html head title meta link base script style noscript template')

type Draft = { -readonly [Key in keyof PageElement]: PageElement[Key] }

interface Open {
  readonly name: string
  readonly isSilent: boolean
  readonly isAside: boolean
  readonly draft?: Draft
  /** Of an item of microdata. */
  readonly properties?: Set<string>
  readonly parts: string[]
  length: number
}

/** Throws a `Refusal`, of `param`, for a page that no browser would show as it stands. */
export function readHtml(source: string, raw: string, param: string): Page {
  const elements: Draft[] = []
  const blocksRead: Block[] = []
  const ids = new Set<string>()
  const open: Open[] = []
  const listening: Open[] = []
  let attributes = new Map<string, string>()
  let headEnded = false
  let silence = 0
  let besides = 0
  let block = { tag: 'body', parts: [] as string[], start: 0, end: 0 }

  function flush(tag: string): void {
    const text = flat(visibleText(block.parts.join('')))
    if (text !== '')
      blocksRead.push({ tag: block.tag, text, start: block.start, end: block.end, isContent: besides === 0 })
    block = { tag, parts: [], start: 0, end: 0 }
  }

  function hear(text: string, longest = LONGEST_TEXT): void {
    for (const each of listening) {
      if (each.length >= (each.name === 'script' ? Number.POSITIVE_INFINITY : longest)) continue
      each.parts.push(text)
      each.length += text.length
    }
  }

  const parser = new Parser({
    onopentagname() {
      attributes = new Map()
    },
    onattribute(name, value) {
      if (attributes.size >= MOST_ATTRIBUTES)
        throw new Refusal(param, `An element has more than ${MOST_ATTRIBUTES} attributes: this is no page to be read.`)
      if (!attributes.has(name)) attributes.set(name, value)
    },
    onopentag(name) {
      if (open.length >= DEEPEST)
        throw new Refusal(param, `Elements are nested more than ${DEEPEST} deep: no browser shows such a page whole.`)
      if (name === 'body' || !ofHead.has(name)) headEnded ||= silence === 0
      const id = attributes.get('id') ?? (name === 'a' ? attributes.get('name') : undefined)
      if (id !== undefined) ids.add(id)
      if (blocks.has(name)) flush(name)
      const isItem = attributes.has('itemscope')
      const isKept = (kept.has(name) || isItem) && (silence === 0 || name === 'title')
      const [start, tagEnd] = [parser.startIndex, parser.endIndex + 1]
      const around = attributes.has('itemprop') ? open.findLast(({ properties }) => properties)?.properties : undefined
      for (const property of (attributes.get('itemprop') ?? '').slice(0, LONGEST_TEXT).split(/\s+/))
        around?.add(property)
      const properties = isItem ? new Set<string>() : undefined
      const draft: Draft | undefined =
        isKept && !open.some(({ name: outer }) => outer === 'svg')
          ? {
              name,
              attributes,
              start,
              tagEnd,
              end: tagEnd,
              text: '',
              inHead: !headEnded,
              ...(properties && { properties }),
            }
          : undefined
      if (draft) elements.push(draft)
      assertReadable({ elements, blocks: blocksRead }, param)
      if (name === 'img') hear(` ${attributes.get('alt') ?? ''} `)
      const isSilent = silent.has(name) || isHidden(attributes)
      const one: Open = {
        name,
        isSilent,
        isAside: aside.has(name),
        parts: [],
        length: 0,
        ...(draft && { draft }),
        ...(properties && { properties }),
      }
      open.push(one)
      if (draft && listening.length < MOST_OPEN) listening.push(one)
      if (isSilent) silence++
      if (one.isAside) besides++
    },
    ontext(text) {
      if (silence > 0) {
        const inner = open.at(-1)
        if (inner?.name === 'title' || inner?.name === 'script') hear(text)
        return
      }
      if (text.trim() !== '') {
        headEnded = true
        if (block.parts.length === 0) block.start = parser.startIndex
        block.end = parser.endIndex + 1
      } else if (block.parts.length === 0) return
      block.parts.push(text)
      hear(text)
    },
    onclosetag(name) {
      if (blocks.has(name)) flush('body')
      const one = open.pop()
      if (name === 'head') headEnded = true
      if (!one) return
      if (one.isSilent) silence--
      if (one.isAside) besides--
      if (listening.at(-1) === one) listening.pop()
      if (!one.draft) return
      const text = one.parts.join('')
      one.draft.text = name === 'script' ? text : flat(visibleText(text.slice(0, LONGEST_TEXT)))
      one.draft.end = Math.max(one.draft.tagEnd, Math.min(raw.length, parser.endIndex + 1))
    },
  })
  parser.write(raw)
  parser.end()
  flush('body')
  return { source, kind: 'html', raw, elements, blocks: blocksRead, ids }
}

const isHidden = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.has('hidden') || /(?:^|;)\s*display\s*:\s*none/i.test(attributes.get('style')?.slice(0, 1_000) ?? '')
