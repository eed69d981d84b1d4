/** How much of what somebody sent is told back to them, in characters. */
const SHOWN = 64

/** The beginning of a text of anybody's, for a message: at most `most` characters and an ellipsis, no half of a pair. */
export function excerpt(text: string, most = SHOWN): string {
  return (text.length <= most ? text : `${text.slice(0, most)}…`).toWellFormed()
}
