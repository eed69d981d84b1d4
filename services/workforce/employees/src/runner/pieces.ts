/** A text in pieces of a stream, no sign of it in two. */
export function pieces(text: string): string[] {
  const all: string[] = []
  for (let at = 0; at < text.length; ) {
    const whole = text.slice(at, at + PIECE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
    const piece = whole === '' ? text.slice(at, at + 1) : whole
    all.push(piece.toWellFormed())
    at += piece.length
  }
  return all
}

/** So much of a text that, as JSON, it is one piece of a stream, whatever its signs. */
const PIECE_CHARACTERS = 10_000
