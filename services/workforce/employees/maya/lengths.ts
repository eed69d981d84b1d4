/**
 * How platforms count. Where a platform's own reading of a text can't be known for sure, such as whether it takes a word with a
 * dot in it for an address, the longer reading counts, so that a text is never longer than is said here.
 */

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** What a reader sees as one character. Bluesky's limit is in these. */
export function graphemes(text: string): number {
  let count = 0
  for (const _ of segmenter.segment(text)) count++
  return count
}

export const utf8Bytes = (text: string): number => Buffer.byteLength(text)

/** Threads counts characters, and of emojis the bytes. */
export function withEmojisAsBytes(text: string): number {
  let count = 0
  for (const { segment } of segmenter.segment(text))
    count += !isAscii(segment) && isEmoji.test(segment) ? utf8Bytes(segment) : Array.from(segment).length
  return count
}

/** Mastodon counts grapheme clusters, and 23 for an address with its protocol. */
export const webLength = (text: string, link?: string): number => withAddresses(text, link, graphemes)

/**
 * X counts in halves of a weight of 200: its published configuration, version 3, gives 100 to four ranges of characters, 200 to all
 * others and to an emoji as a whole, and 23 characters to an address however long it is. Composed characters (NFC) are counted.
 */
export const weightedLength = (text: string, link?: string): number =>
  withAddresses(text.normalize('NFC'), link, part => {
    let weight = 0
    for (const { segment } of segmenter.segment(part))
      weight += isAscii(segment) ? 1 : isEmoji.test(segment) ? 2 : codePointsWeight(segment)
    return weight
  })

function codePointsWeight(text: string): number {
  let weight = 0
  for (const character of text) weight += isLight(character.codePointAt(0) ?? 0) ? 1 : 2
  return weight
}

const isLight = (code: number): boolean =>
  code <= 4351 || (code >= 8192 && code <= 8205) || (code >= 8208 && code <= 8223) || (code >= 8242 && code <= 8247)

/** Most of a text is, and the pattern for emojis is slow. */
const isAscii = (segment: string): boolean => segment.length === 1 && segment < '\u0080'

const isEmoji = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0f?)$/v

/** As long as every address is on X and on Mastodon. */
const ADDRESS = 23

/** The length with its addresses: the brief's own link where it is plain, others as what they are longest as. */
function withAddresses(text: string, link: string | undefined, lengthOf: (text: string) => number): number {
  let length = 0
  let start = 0
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const addresses = word.match(/[\p{L}\p{N}]\.(?=\p{L}{2})/gu)?.length ?? 0
    if (addresses === 0) continue
    const isKnown = word === link && plainAddress.test(word) && isDomain(new URL(word).hostname)
    length += lengthOf(text.slice(start, index)) + (isKnown ? ADDRESS : lengthOf(word) + ADDRESS * addresses)
    start = index + word.length
  }
  return length + lengthOf(text.slice(start))
}

/** What no platform reads in two ways: plain signs, and a letter, a digit or a slash at the end, which belong to it for sure. */
const plainAddress = /^https?:\/\/[a-z\d-]+(?:\.[a-z\d-]+)+(?:\/[\w./%~-]*)?(?:\?[\w=&%.-]+)?(?<=[\w/])$/

const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
const generic = new Set(
  'com org net info biz edu gov int app dev shop store blog page site online cloud tech eu uk'.split(' '),
)

function isDomain(host: string): boolean {
  const last = host.split('.').at(-1) ?? ''
  return generic.has(last) || (/^[a-z]{2}$/.test(last) && regions.of(last.toUpperCase()) !== undefined)
}
