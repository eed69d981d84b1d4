/** A series as it was given, before anybody looked at its times. */
export interface RawSeries {
  readonly name: string
  /** Not a number where a value is missing. */
  readonly values: readonly number[]
  readonly timestamps?: readonly string[]
}

/** Foreign text in a message: short, on one line, in quotes. */
export const shown = (text: string) => JSON.stringify(oneLine(text).slice(0, 60))

/** Without what would move a cursor, hide text, turn its direction, or stand in no XML. */
export const oneLine = (text: string) =>
  text
    .slice(0, 400)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFE\uFFFF]+/gu, ' ')
    .trim()
