/**
 * A text as it can be set on one line after another: what has no shape is gone (controls, zero-width signs, orders of direction,
 * which hide what a reader would see), white space is one space, and no letter carries more marks than any language stacks.
 */
export function visible(text: string, most = 2000): string {
  return text
    .slice(0, 4 * most)
    .toWellFormed()
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0]|\u034f/gu, sign => (joiners.has(sign) ? sign : ''))
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .slice(0, most)
    .toWellFormed()
    .replaceAll('\ufffd', '')
    .trim()
}

/** Letters of Arabic and Devanagari, and emojis, are joined by these. */
const joiners = new Set(['\u200c', '\u200d'])
