/** Reads HTML once, from front to back. Scripts in it are text like any other. */
import { Parser } from 'htmlparser2'
import { Refusal } from '../../../src/brief.ts'
import { visibleText } from '../../../src/text/visible-text.ts'
import { besideOf } from './beside.ts'
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
const blocks = words(
  'address article aside blockquote body br button caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead title tr ul',
)
const listed = words('ul ol dl table menu')
/** What may stand in a head. Anything else ends it. */
const ofHead = words('html head title meta link base script style noscript template')

type Draft<Of = PageElement> = { -readonly [Key in keyof Of]: Of[Key] }

interface Open {
  readonly name: string
  readonly isSilent: boolean
  readonly beside: string
  readonly isMain: boolean
  readonly draft?: Draft
  /** Of an item of microdata. */
  readonly properties?: Set<string>
  readonly parts: string[]
  length: number
}

/** Throws a `Refusal`, of `param`, for a page that no browser would show as it stands. */
export function readHtml(source: string, raw: string, param: string): Page {
  const reader = new HtmlReader(raw, param)
  reader.read()
  const { ids } = reader
  // Of a page that marks its main part, the rest is no content.
  const isMarked = reader.blocks.read.some(({ inMain, isContent }) => inMain && isContent)
  const elements = reader.elements.map(({ inMain, ...element }) =>
    isMarked && !inMain && element.isContent ? { ...element, isContent: false } : element,
  )
  return { source, kind: 'html', raw, elements, blocks: ofMain(reader.blocks.read, isMarked), ids }
}

function ofMain(blocks: readonly Draft<Block & { inMain: boolean }>[], isMarked: boolean): Block[] {
  return blocks.map(({ inMain, ...block }) =>
    isMarked && !inMain && block.isContent ? { ...block, isContent: false, beside: 'what is outside of main' } : block,
  )
}

class HtmlReader {
  readonly elements: Draft<PageElement & { inMain: boolean }>[] = []
  readonly blocks = new Blocks()
  readonly ids = new Set<string>()
  readonly #raw: string
  readonly #param: string
  readonly #parser: Parser
  readonly #open: Open[] = []
  readonly #listening: Open[] = []
  #attributes = new Map<string, string>()
  #headEnded = false
  /** How many of the open elements are silent, and how many are the main part or a list. */
  #silent = 0
  #main = 0
  #lists = 0
  /** What the open elements that stand beside the content are. */
  readonly #beside: string[] = []

  constructor(raw: string, param: string) {
    this.#raw = raw
    this.#param = param
    this.#parser = new Parser({
      onopentagname: () => {
        this.#attributes = new Map()
      },
      onattribute: (name, value) => this.#attribute(name, value),
      onopentag: name => this.#begin(name),
      ontext: text => this.#text(text),
      onclosetag: name => this.#end(name),
    })
  }

  read(): void {
    this.#parser.write(this.#raw)
    this.#parser.end()
    this.#flush('body')
  }

  #attribute(name: string, value: string): void {
    if (this.#attributes.size >= MOST_ATTRIBUTES)
      throw new Refusal(
        this.#param,
        `An element has more than ${MOST_ATTRIBUTES} attributes: this is no page to be read.`,
      )
    if (!this.#attributes.has(name)) this.#attributes.set(name, value)
  }

  #begin(name: string): void {
    const attributes = this.#attributes
    if (this.#open.length >= DEEPEST)
      throw new Refusal(
        this.#param,
        `Elements are nested more than ${DEEPEST} deep: no browser shows such a page whole.`,
      )
    if (name === 'body' || !ofHead.has(name)) this.#headEnded ||= this.#silent === 0
    const id = attributes.get('id') ?? (name === 'a' ? attributes.get('name') : undefined)
    if (id !== undefined) this.ids.add(id)
    if (blocks.has(name)) this.#flush(name)
    this.#notePropertyOf()
    const properties = attributes.has('itemscope') ? new Set<string>() : undefined
    const draft = this.#draftOf(name, properties)
    if (draft) this.elements.push(draft)
    assertReadable({ elements: this.elements, blocks: this.blocks.read }, this.#param)
    if (name === 'img') this.#hear(` ${attributes.get('alt') ?? ''} `)
    const one: Open = {
      name,
      isSilent: silent.has(name) || isHidden(attributes),
      beside: besideOf(name, attributes),
      isMain: name === 'main' || attributes.get('role')?.trim().toLowerCase() === 'main',
      parts: [],
      length: 0,
      ...(draft && { draft }),
      ...(properties && { properties }),
    }
    this.#open.push(one)
    if (draft && this.#listening.length < MOST_OPEN) this.#listening.push(one)
    if (one.isSilent) this.#silent++
    if (one.beside !== '') this.#beside.push(one.beside)
    if (one.isMain) this.#main++
    if (listed.has(name)) this.#lists++
  }

  /** The element is a property of the item of microdata around it. */
  #notePropertyOf(): void {
    const names = this.#attributes.get('itemprop')
    if (names === undefined) return
    const around = this.#open.findLast(({ properties }) => properties)?.properties
    for (const property of names.slice(0, LONGEST_TEXT).split(/\s+/)) around?.add(property)
  }

  /** What is kept of the element that begins; undefined for one that is not kept. */
  #draftOf(name: string, properties: ReadonlySet<string> | undefined): (typeof this.elements)[number] | undefined {
    const isKept = (kept.has(name) || properties !== undefined) && (this.#silent === 0 || name === 'title')
    if (!isKept || this.#open.some(({ name: outer }) => outer === 'svg')) return undefined
    // Behind an end tag with a space in it, such as `</p >`, the parser counts from that tag's own sign.
    const start = Math.max(this.#parser.startIndex, this.#raw.indexOf('<', this.#parser.startIndex))
    const tagEnd = this.#parser.endIndex + 1
    return {
      name,
      attributes: this.#attributes,
      start,
      tagEnd,
      end: tagEnd,
      text: '',
      inHead: !this.#headEnded,
      isContent: this.#beside.length === 0,
      inMain: this.#main > 0,
      ...(properties && { properties }),
    }
  }

  #text(text: string): void {
    if (this.#silent > 0) {
      const inner = this.#open.at(-1)
      if (inner?.name === 'title' || inner?.name === 'script') this.#hear(text)
    } else if (this.blocks.add(text, this.#parser.startIndex, this.#parser.endIndex + 1)) {
      if (text.trim() !== '') this.#headEnded = true
      this.#hear(text)
    }
  }

  #end(name: string): void {
    if (blocks.has(name)) this.#flush('body')
    const one = this.#open.pop()
    if (name === 'head') this.#headEnded = true
    if (!one) return
    if (one.isSilent) this.#silent--
    if (one.beside !== '') this.#beside.pop()
    if (one.isMain) this.#main--
    if (listed.has(one.name)) this.#lists--
    if (this.#listening.at(-1) === one) this.#listening.pop()
    if (!one.draft) return
    const text = one.parts.join('')
    one.draft.text = name === 'script' ? text : flat(visibleText(text.slice(0, LONGEST_TEXT)))
    one.draft.end = Math.max(one.draft.tagEnd, this.#endOfTag())
  }

  /** Behind the end tag that was read, whose sign may follow after spaces: `</p >`. */
  #endOfTag(): number {
    const end = Math.min(this.#raw.length, this.#parser.endIndex + 1)
    const [spaces = ''] = /^\s{0,100}>/.exec(this.#raw.slice(end, end + 101)) ?? []
    return /<\/[^<>]{0,100}$/.test(this.#raw.slice(Math.max(0, end - 102), end)) ? end + spaces.length : end
  }

  /** The text is part of the open elements whose texts are kept. */
  #hear(text: string): void {
    for (const each of this.#listening) {
      if (each.length >= (each.name === 'script' ? Number.POSITIVE_INFINITY : LONGEST_TEXT)) continue
      each.parts.push(text)
      each.length += text.length
    }
  }

  #flush(tag: string): void {
    this.blocks.begin(tag, this.#beside.at(-1) ?? '', this.#main > 0, this.#lists > 0)
  }
}

/** The text of a page, in the pieces that stand by themselves. */
class Blocks {
  readonly read: Draft<Block & { inMain: boolean }>[] = []
  #block = { tag: 'body', parts: [] as string[], start: 0, end: 0 }

  /** Adds text to the block; false for space before any. */
  add(text: string, start: number, end: number): boolean {
    const block = this.#block
    if (text.trim() !== '') {
      if (block.parts.length === 0) block.start = start
      block.end = end
    } else if (block.parts.length === 0) return false
    block.parts.push(text)
    return true
  }

  /** Ends the block, and begins one of this tag. The other parameters are of the one that ends. */
  begin(tag: string, beside: string, inMain: boolean, isListed: boolean): void {
    const { parts, ...block } = this.#block
    const text = flat(visibleText(parts.join('')))
    if (text !== '')
      this.read.push({
        tag: block.tag,
        text,
        start: block.start,
        end: block.end,
        isContent: beside === '',
        isListed,
        beside,
        inMain,
      })
    this.#block = { tag, parts: [], start: 0, end: 0 }
  }
}

const isHidden = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.has('hidden') || /(?:^|;)\s*display\s*:\s*none/i.test(attributes.get('style')?.slice(0, 1_000) ?? '')
