/** Says what keeps a page from being found. Reads what is given and nothing else: no address is called, no script run. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { languageOf } from '../../src/text/language.ts'
import { visibleText } from '../../src/text/visible-text.ts'
import { judgeAddresses } from './findings/addresses.ts'
import { judgeCard } from './findings/card.ts'
import { judgeContent } from './findings/content.ts'
import { judgeDocument } from './findings/document.ts'
import type { Fault, Judged } from './findings/fault.ts'
import { judgeHead } from './findings/head.ts'
import { judgeHeadings } from './findings/headings.ts'
import { judgeImages } from './findings/images.ts'
import { coverageOf, frequentTerms, judgeKeywords } from './findings/keywords.ts'
import { judgeLinks } from './findings/links.ts'
import { judgeMicrodata, microItemsOf } from './findings/microdata.ts'
import { proposalsOf } from './findings/proposals.ts'
import { MOST_OF_A_RULE, ranked } from './findings/ranked.ts'
import { readabilityOf } from './findings/reading-ease.ts'
import { itemsOf, judgeStructuredData } from './findings/structured-data.ts'
import { factsOf } from './page/facts.ts'
import { contentOf, type Page } from './page/page.ts'
import { createPlaces } from './page/place.ts'
import { readPage } from './page/read-page.ts'
import { readingOf } from './reading.ts'
import type { Input, Result } from './result.ts'

export function rules(brief: Brief<Input>): Answer<Result> {
  const { url } = brief.input
  if (url !== undefined && !URL.canParse(url))
    throw new Refusal('input.url', 'The address is none; give one such as https://shop.example/tea.')
  const page = readPage(brief)
  const judged: Judged = { page, brief, language: contentLanguage(page), proposals: proposalsOf(page) }
  const readability = readabilityOf(proseOf(page), judged.language)
  const keywords = coverageOf(judged)
  const faults: Fault[] = [
    ...judgeHead(judged),
    ...judgeDocument(judged),
    ...judgeAddresses(judged),
    ...judgeHeadings(judged),
    ...judgeLinks(judged),
    ...judgeImages(judged),
    ...judgeStructuredData(judged),
    ...judgeMicrodata(page),
    ...judgeCard(judged),
    ...judgeContent(judged, readability),
    ...judgeKeywords(judged, keywords),
  ]
  const findings = ranked(page, faults)
  const count = (severity: string) => findings.filter(finding => finding.severity === severity).length
  const placeOf = createPlaces(page.source, page.raw)
  const result: Result = {
    source: page.source,
    kind: page.kind,
    language: judged.language,
    summary: { high: count('high'), medium: count('medium'), low: count('low') },
    findings,
    ...factsOf(page, url),
    readability,
    keywords,
    frequent_terms: frequentTerms(judged),
    structured_data: [...itemsOf(page), ...microItemsOf(page)].map(({ type, start, end, missing }) => ({
      type: visibleText(type),
      line: placeOf(start, end).line,
      missing,
    })),
    proposals: judged.proposals,
  }
  return {
    result,
    text: readingOf(result),
    citations: findings.map(({ place: { source, quote } }) => ({ source, quote })),
    warnings: warningsOf(page, faults),
  }
}

/** What is prose: text in paragraphs, not headings, cells and menus. */
const proseOf = (page: Page): string[] =>
  contentOf(page)
    .filter(({ tag, text }) => !/^(?:h\d|t[hd]|button|title)$/.test(tag) && /[.!?…。！？]\s*$/.test(text.slice(-20)))
    .map(({ text }) => text)

/** Enough to tell a language by. */
const MOST_CHARACTERS = 20_000

function contentLanguage(page: Page): string {
  const texts: string[] = []
  let characters = 0
  for (const { text } of contentOf(page)) {
    if (characters > MOST_CHARACTERS) break
    texts.push(text.slice(0, MOST_CHARACTERS))
    characters += text.length
  }
  return languageOf(texts.join('\n'))
}

function warningsOf(page: Page, faults: readonly Fault[]): string[] {
  const many = [...Map.groupBy(faults, ({ rule }) => rule)].filter(([, same]) => same.length > MOST_OF_A_RULE)
  return [
    ...besideLine(page),
    ...many.map(([rule, same]) => `Of ${same.length} findings of ${rule}, the first ${MOST_OF_A_RULE} are listed.`),
    ...(page.kind === 'html' && page.blocks.length === 0
      ? ['There is no text in the page. What a script writes into it is not seen: give the page as it is after that.']
      : []),
  ]
}

/** What was not read as content, with counts. */
function besideLine({ blocks }: Page): string[] {
  const beside = Map.groupBy(
    blocks.filter(({ isContent }) => !isContent),
    block => block.beside,
  )
  if (beside.size === 0) return []
  const counts = [...beside].map(([part, { length }]) => `${part} (${length})`)
  const count = blocks.filter(({ isContent }) => isContent).length
  return [`Read as content: ${count} ${count === 1 ? 'piece' : 'pieces'} of text. Left out: ${counts.join(', ')}.`]
}
