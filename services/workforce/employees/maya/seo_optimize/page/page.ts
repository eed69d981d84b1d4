import { Refusal } from '../../../src/brief.ts'

/** A page or a text as it is judged: what stands in it, and where. Places are offsets in `raw`. */
export interface Page {
  /** What it is called in findings and citations. */
  readonly source: string
  readonly kind: 'html' | 'text'
  readonly raw: string
  readonly elements: readonly PageElement[]
  readonly blocks: readonly Block[]
  /** What links within the page can lead to. */
  readonly ids: ReadonlySet<string>
}

export interface PageElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly start: number
  /** Behind its start tag. */
  readonly tagEnd: number
  /** Behind its end tag. */
  readonly end: number
  /** What a reader hears of it: its text, with the alternatives of images in it. Only the beginning where it is long. */
  readonly text: string
  readonly inHead: boolean
  /** It stands in the page's subject. */
  readonly isContent: boolean
  /** Of an item of microdata, the names of its properties. */
  readonly properties?: ReadonlySet<string>
}

/** A stretch of text that stands by itself: a paragraph, an item of a list, a heading. */
export interface Block {
  readonly tag: string
  /** As a reader sees it, in one line. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** It is of the page's subject, not of its navigation, its foot or a form. */
  readonly isContent: boolean
  /** It stands in a list, a table or a definition, where the same words may well come again. */
  readonly isListed: boolean
  /** What it is part of instead, as it follows a count: "paragraphs of navigation". Empty for content. */
  readonly beside: string
}

/** More of either are in no page that somebody reads. */
const MOST_PARTS = 50_000

/** Refuses a page, of `param`, that has more parts than anybody reads. */
export function assertReadable({ elements, blocks }: Pick<Page, 'elements' | 'blocks'>, param: string): void {
  if (elements.length > MOST_PARTS || blocks.length > MOST_PARTS)
    throw new Refusal(
      param,
      `There are more than ${MOST_PARTS} headings, links, pictures or paragraphs: give a part of it.`,
    )
}

export const named = ({ elements }: Page, ...names: string[]): PageElement[] =>
  elements.filter(({ name }) => names.includes(name))

export const headingsOf = (page: Page): PageElement[] => named(page, 'h1', 'h2', 'h3', 'h4', 'h5', 'h6')

/** Whether an element is written in tags, also in a text. */
export const isTagged = ({ raw }: Page, { start }: PageElement): boolean => raw[start] === '<'

export const levelOf = ({ name }: PageElement): number => Number(name.slice(1))

/** The elements `<meta name="…">` of a name. */
export const metaOf = (page: Page, name: string): PageElement[] =>
  named(page, 'meta').filter(({ attributes }) => attributes.get('name')?.trim().toLowerCase() === name)

/** The elements `<link rel="…">` whose relations have this one. */
export const linkedAs = (page: Page, relation: string): PageElement[] =>
  named(page, 'link').filter(({ attributes }) =>
    (attributes.get('rel') ?? '').toLowerCase().split(/\s+/).includes(relation),
  )

export const contentOf = (page: Page): Block[] => page.blocks.filter(({ isContent }) => isContent)

/** In one line, without space around it. */
export const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** A heading, or a title, that says nothing of its page. */
export const isOfAnyPage = (text: string): boolean =>
  /^(?:(?:table of )?contents|toc|index|(?:main |site )?(?:menu|navigation)|search|home(?: ?page)?|untitled(?: document)?|startseite|accueil|on this page|in this article|overview|introduction|inhalt(?:sverzeichnis)?|übersicht|einleitung|menü|suche|sommaire|table des matières|recherche|índice|contenido|contenidos|indice|sommario|inhoud(?:sopgave)?|目次|目录)[\s:：.…]*$/iu.test(
    text.normalize('NFC'),
  )
