/**
 * The text that a reader sees: without control characters, marks that turn the direction of writing, and characters that take
 * no room, in which words can hide. What joins letters (U+200C, U+200D) stays in the scripts that have such, and what shapes emojis.
 * Lone surrogates become U+FFFD.
 */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/[\v\f]/g, ' ')
    .replace(unseen, '')
    .replace(joinsNothing, '')
}

/** Whether a text has a character that a reader sees: joiners have nothing to join then. */
export const isSeen = (text: string): boolean =>
  /[^\s\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u.test(text)

/** A name, which answers, messages and citations have within their lines. */
export const inOneLine = (name: string): string => visibleText(name).replaceAll(/\s/g, ' ')

/** Joiners but those behind letters and digits of Arabic, Indic and other scripts, and behind emojis. */
const joinsNothing =
  /(?<!(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L}|(?![0-9])\p{Nd}|\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier})\p{Join_Control}+/gu

/** What takes no room, and what turns the direction; but lines and tabs, joiners, and what shapes an emoji. */
const unseen =
  /(?![\n\t]|\p{Join_Control}|\p{Variation_Selector})[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu
