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
  'a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr o:p q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

const tag = new RegExp(
  `</?(${[...inline].join('|')}|address|article|aside|blockquote|body|br|button|canvas|caption|center|col|colgroup|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|input|legend|li|link|main|meta|nav|noscript|ol|optgroup|option|p|picture|pre|script|section|select|style|summary|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|ul|video)(?:\\s[^<>]{0,2000})?\\s{0,9}/?>`,
  'gi',
)

/** The references of HTML that texts have where nobody resolved them. */
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...latin1(),
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    ndash: '–',
    mdash: '—',
    hellip: '…',
    bdquo: '„',
    sbquo: '‚',
    lsaquo: '‹',
    rsaquo: '›',
    bull: '•',
    trade: '™',
    OElig: 'Œ',
    oelig: 'œ',
    Scaron: 'Š',
    scaron: 'š',
    zwnj: '\u200c',
    zwj: '\u200d',
    euro: '€',
  }),
)

/** Those of U+00A0 to U+00FF, in their order. */
function latin1(): Record<string, string> {
  const names =
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
  return Object.fromEntries(names.split(' ').map((name, at) => [name, at === 0 ? ' ' : String.fromCharCode(0xa0 + at)]))
}

const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}\d{0,2}));/gi

/** By the standard of HTML, numbers of control characters are those of Windows-1252. */
const windows1252 = new TextDecoder('windows-1252')

function resolved(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named.get(name) ?? named.get(name.toLowerCase()) ?? whole
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  if (code >= 0x80 && code < 0xa0) return windows1252.decode(Uint8Array.of(code))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}
