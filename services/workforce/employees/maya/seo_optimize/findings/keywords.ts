/** Where the keywords stand, and how often. English words count in all their forms; others as they are written. */
import { isEnglishWord, rarity, stemOf } from '../../../src/text/english.ts'
import { plainText } from '../../../src/text/plain-text.ts'
import { contentOf, flat, headingsOf, metaOf, named, type Page, type PageElement } from '../page/page.ts'
import type { Coverage, Result } from '../result.ts'
import { added, changed, escaped, type Fault, headOf, type Judged } from './fault.ts'

/** A keyword that stands more often than this in a hundred words, and at least so often, is repeated too much. */
const MOST_PER_100 = 5
const OFTEN = 8
const BEGINNING_WORDS = 100
/** Of a text, as many are read. */
const MOST_WORDS = 100_000
/** Of one block. */
const MOST_OF_BLOCK = 500_000

interface Texts {
  readonly title: string[]
  readonly description: string[]
  readonly main: string[]
  readonly headings: string[]
  readonly content: string[]
  readonly alternatives: string[]
}

export function coverageOf(judged: Judged): Coverage[] {
  const keywords = (judged.brief.input.keywords ?? []).map(one => flat(plainText(one))).filter(one => one !== '')
  if (keywords.length === 0) return []
  const texts = textsOf(judged)
  return keywords.map(keyword => {
    const wanted = termsOf(keyword, judged.language)
    const count = countIn(texts.content, wanted)
    return {
      keyword,
      count,
      per_100_words: Number(((100 * count) / Math.max(1, texts.content.length)).toFixed(2)),
      in_title: countIn(texts.title, wanted) > 0,
      in_description: countIn(texts.description, wanted) > 0,
      in_main_heading: countIn(texts.main, wanted) > 0,
      in_headings: countIn(texts.headings, wanted) > 0,
      in_beginning: countIn(texts.content.slice(0, BEGINNING_WORDS), wanted) > 0,
      in_alternatives: countIn(texts.alternatives, wanted) > 0,
    }
  })
}

export function judgeKeywords({ page, language, proposals }: Judged, coverage: readonly Coverage[]): Fault[] {
  const [first] = coverage
  const anchor = (element: PageElement | undefined) => element ?? { ...headOf(page) }
  const [title, heading] = [named(page, 'title')[0], ofContent(headingsOf(page))[0]]
  return [
    ...(first && title && !first.in_title
      ? [
          changed(
            page,
            'keyword_not_in_title',
            title,
            `“${first.keyword}” does not stand in the title.`,
            `<title>${escaped(titleWith(first.keyword))}</title>`,
          ),
        ]
      : []),
    ...(first && heading && !first.in_headings
      ? [
          changed(
            page,
            'keyword_not_in_heading',
            heading,
            `“${first.keyword}” stands in no heading.`,
            `[a heading with “${first.keyword}” in it]`,
          ),
        ]
      : []),
    ...coverage.flatMap(({ keyword, count, per_100_words }) => {
      if (count === 0)
        return [
          added(
            'keyword_not_in_text',
            anchor(heading),
            `“${keyword}” does not stand in the text.`,
            `[a sentence with “${keyword}” in it, where the text is about it]`,
          ),
        ]
      if (per_100_words <= MOST_PER_100 || count < OFTEN) return []
      const block = mostOften(keyword)
      const message = `“${keyword}” stands in the text ${count} times, ${per_100_words} in a hundred words.`
      return [changed(page, 'keyword_stuffed', block, message, `[the same with “${keyword}” once]`)]
    }),
  ]

  /** What the page's heading offers, where it has the keyword. */
  function titleWith(keyword: string): string {
    const offered = proposals.title ?? ''
    const hasIt = countIn(termsOf(offered, language), termsOf(keyword, language)) > 0
    return hasIt ? offered : `[a title with “${keyword}” in it]`
  }

  function mostOften(keyword: string): { start: number; end: number } {
    const wanted = termsOf(keyword, 'und')
    const blocks = contentOf(page).map(block => ({ block, times: countIn(termsOf(block.text, 'und'), wanted) }))
    const most = blocks.reduce((best, one) => (one.times > best.times ? one : best), {
      block: anchor(heading),
      times: 0,
    })
    return most.block
  }
}

const MOST_TERMS = 10

/** The words that stand most often in an English text and are rare elsewhere. */
export function frequentTerms(judged: Judged): Result['frequent_terms'] {
  if (judged.language !== 'en') return []
  const counts = new Map<string, { forms: Map<string, number>; count: number }>()
  for (const word of wordsOfContent(judged.page)) {
    const stem = stemOf(word)
    const known = counts.get(stem) ?? { forms: new Map(), count: 0 }
    counts.set(stem, known)
    known.count++
    known.forms.set(word, (known.forms.get(word) ?? 0) + 1)
  }
  return [...counts]
    .filter(([stem, { count }]) => count >= 3 && stem.length >= 3 && rarity(stem) >= 0.3)
    .map(([stem, { forms, count }]) => ({
      term: [...forms].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? stem,
      count,
      weight: count * rarity(stem),
    }))
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
    .slice(0, MOST_TERMS)
    .map(({ term, count }) => ({ term, count }))
}

function textsOf({ page, language }: Judged): Texts {
  const terms = (texts: readonly string[]) => texts.flatMap(text => [...termsOf(text, language), ''])
  return {
    title: terms(named(page, 'title').map(({ text }) => text)),
    description: terms(metaOf(page, 'description').map(({ attributes }) => attributes.get('content') ?? '')),
    main: terms(ofContent(named(page, 'h1')).map(({ text }) => text)),
    headings: terms(ofContent(headingsOf(page)).map(({ text }) => text)),
    content: wordsOfContent(page).map(word => termOf(word, language)),
    alternatives: terms(named(page, 'img').map(({ attributes }) => attributes.get('alt') ?? '')),
  }
}

/** Those of a site, above the content, count where the content has none. */
function ofContent(headings: readonly PageElement[]): readonly PageElement[] {
  const own = headings.filter(({ isContent }) => isContent)
  return own.length > 0 ? own : headings
}

function wordsOfContent(page: Page): string[] {
  const found: string[] = []
  for (const { text } of contentOf(page)) {
    for (const word of wordsOf(text)) if (found.length < MOST_WORDS) found.push(word)
    if (found.length >= MOST_WORDS) break
  }
  return found
}

const termsOf = (text: string, language: string): string[] => wordsOf(text).map(word => termOf(word, language))

const termOf = (word: string, language: string): string =>
  language === 'en' || isEnglishWord(word) ? stemOf(word) : word

/** How often the terms stand there one behind the other. */
function countIn(terms: readonly string[], wanted: readonly string[]): number {
  const [first] = wanted
  if (first === undefined) return 0
  let count = 0
  for (let at = terms.indexOf(first); at !== -1; at = terms.indexOf(first, at + 1))
    if (wanted.every((term, behind) => terms[at + behind] === term)) count++
  return count
}

/** In writing without spaces each character counts as a word, so that phrases are found. */
const wordsOf = (text: string): string[] =>
  text
    .slice(0, MOST_OF_BLOCK)
    .toLowerCase()
    .match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}]){1,60}/gu,
    ) ?? []
