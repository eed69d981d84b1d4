/** How much room a text takes in a list of search results: letters of Chinese, Japanese and Korean take two. */
export const widthOf = (text: string): number => Array.from(text).length + (text.match(wide)?.length ?? 0)

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/**
 * As much of a text as has room, ended at a sentence where one ends in the second half, else at a word with “…” behind it.
 * Where it has no words it ends at a character.
 */
export function fitted(text: string, room: number): string {
  if (widthOf(text) <= room) return text
  let width = 0
  let end = 0
  for (const character of text) {
    width += widthOf(character)
    if (width > room - 1) break
    end += character.length
  }
  const part = text.slice(0, end)
  const sentence = Math.max(...['. ', '! ', '? ', '。', '！', '？'].map(sign => part.lastIndexOf(sign)))
  if (sentence > end / 2) return part.slice(0, sentence + 1)
  const space = part.lastIndexOf(' ')
  return `${(space > end / 2 ? part.slice(0, space) : part).replace(/[\s,;:|–—-]{1,20}$/, '')}…`
}
