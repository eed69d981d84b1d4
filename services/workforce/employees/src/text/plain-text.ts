/** The one reader of text that comes from outside: what a person would read of it, and its letters in one spelling. */
import { visibleText } from './visible-text.ts'

/**
 * A text as a person reads it: without HTML's tags, comments, styles and scripts, its character references resolved, in Unicode's
 * NFC, and without what `visibleText` takes out. A tag that breaks the line leaves a line's end. What only looks like a tag, such
 * as `<3`, `a < b` or `<name>`, stays.
 */
export function plainText(text: string): string {
  return visibleText(text.includes('<') || text.includes('&') ? withoutMarkup(text) : text).normalize('NFC')
}

/**
 * The same text for the comparison of words: typographic quotes and apostrophes as ASCII has them, wide letters narrow, and
 * pictures without what chooses their look (variation selectors, skin tones) or joins them.
 */
export function folded(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[‘’‚‛ʼ′＇]|(?<=\p{L})[`´](?=\p{L})/gu, "'")
    .replace(/[“”„‟«»″＂]/g, '"')
    .replace(/[！-～]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\p{Variation_Selector}|\p{Emoji_Modifier}/gu, '')
    .replace(/(?<=\p{Extended_Pictographic})\u200d[♀♂⚥]?/gu, '')
}

function withoutMarkup(text: string): string {
  return withoutUnread(text)
    .replace(tag, (_, name: string) => (inline.has(name.toLowerCase()) ? '' : '\n'))
    .replace(reference, resolved)
}

/** Comments, and elements whose content nobody reads. By places and not by one pattern, which would take a time of n². */
function withoutUnread(text: string): string {
  const parts: string[] = []
  let from = 0
  for (const { 0: opening, 1: name, index } of text.matchAll(/<!--|<(script|style)(?=[\s>])/gi)) {
    if (index < from) continue
    const closing = name === undefined ? /-->/g : new RegExp(`</${name}\\s{0,9}>`, 'gi')
    closing.lastIndex = index + opening.length
    const end = closing.exec(text)
    // One that is never closed is text, and so is all after it.
    if (end === null) break
    parts.push(text.slice(from, index))
    from = end.index + end[0].length
  }
  return parts.join('') + text.slice(from)
}

/** Elements within a line; of HTML's others each begins or ends one. */
const inline = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

const tag = new RegExp(
  `</?(${[...inline].join('|')}|address|article|aside|blockquote|body|br|button|caption|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|input|li|link|main|meta|nav|ol|option|p|pre|script|section|select|style|summary|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|ul|video)(?:\\s[^<>]{0,2000})?\\s{0,9}/?>`,
  'gi',
)

/** The references of HTML that texts have where nobody resolved them. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
}

const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[nm]dash|hellip|euro));/gi

function resolved(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? whole
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}
