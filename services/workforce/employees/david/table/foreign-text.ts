/** Text from outside in messages, names and headings. */

/** Short, on one line, in quotes. */
export const shown = (text: string) => JSON.stringify(oneLine(text).slice(0, 60))

/** Without what would move a cursor, hide text, turn its direction, or stand in no XML. */
export const oneLine = (text: string) =>
  text
    .slice(0, 400)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFE\uFFFF]+/gu, ' ')
    .trim()
