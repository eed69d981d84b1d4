import type { Brief } from '../../../src/brief.ts'
import type { Page } from '../page/page.ts'
import type { Input } from '../result.ts'
import type { RuleId } from './rules.ts'

/** Something that was found, before it is ranked and its place has a name. */
export interface Fault {
  readonly rule: RuleId
  readonly message: string
  /** Where: `raw.slice(start, end)`. For something that lacks, the place that it belongs behind. */
  readonly start: number
  readonly end: number
  /** What stands there to be replaced; empty where something is to be added. */
  readonly before: string
  /** What should. Where only the author can know it, a gap in square brackets says what belongs there. */
  readonly after: string
}

/** What is known when a page is judged. */
export interface Judged {
  readonly page: Page
  readonly brief: Brief<Input>
  /** ISO 639-1 of the content, or `und`. */
  readonly language: string
  /** What the page itself offers as title and description. */
  readonly proposals: { readonly title: string | null; readonly description: string | null }
}

/** Text as it stands in HTML, within an element or in double quotes. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Of something that stands in the page. */
export const changed = (
  page: Page,
  rule: RuleId,
  { start, end }: { readonly start: number; readonly end: number },
  message: string,
  after: string,
): Fault => ({ rule, message, start, end, before: shortened(page.raw.slice(start, end)), after: withoutData(after) })

/** A picture that stands in its own address is no part of what changes. */
export const withoutData = (text: string): string =>
  text.replaceAll(/(data:[\w/+.-]{1,100};base64,)[\w+/=%]{60,}/gi, '$1[as it is]')

/** Of something that lacks, and belongs behind `start` to `end`. */
export const added = (
  rule: RuleId,
  { start, end }: { readonly start: number; readonly end: number },
  message: string,
  after: string,
): Fault => ({ rule, message, start, end, before: '', after })

/** Where something belongs that is to stand in the head: behind its start tag, else the first tag, else the first sign. */
export function headOf(page: Page): { start: number; end: number } {
  const anchor = page.elements.find(({ name }) => name === 'head') ?? page.elements[0]
  if (anchor) return { start: anchor.start, end: anchor.tagEnd }
  const start = page.raw.search(/\S/)
  return { start, end: start + 1 }
}

/** The longest piece shown whole. */
const LONGEST = 1_000

export const shortened = (text: string, longest = LONGEST): string =>
  text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`
