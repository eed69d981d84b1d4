/** The text of an answer, token by token: whole characters, up to the first stop sequence. */

export interface TextPiece {
  /** What is sure by now; may be empty. */
  readonly text: string
  /** Whether a stop sequence was found: the answer ends with this piece. */
  readonly isOver: boolean
}

/** A character has at most 4 bytes, but a token may end one and begin the next. What is no text is not waited for longer. */
const MOST_UNDECODED = 16
/** Whether there is a space between two tokens depends on the one before. */
const TOKENS_BEFORE = 4

/** `decode` gives the text of tokens that come after others. */
export function textPieces<T>(
  decode: (tokens: readonly T[], before: readonly T[]) => string,
  stops: readonly string[],
) {
  const longest = Math.max(0, ...stops.map(({ length }) => length))
  let before: readonly T[] = []
  let undecoded: readonly T[] = []
  /** The beginning of what may become a stop sequence. */
  let held = ''

  function release(text: string, isEnd: boolean): TextPiece {
    const first = Math.min(...stops.map(stop => text.indexOf(stop)).filter(at => at >= 0))
    const sure = text.length - (isEnd ? 0 : heldBack(text))
    // What begins before it may still become a longer one, whatever the tokens are.
    if (first <= sure) return { text: text.slice(0, first), isOver: true }
    held = text.slice(sure)
    return { text: text.slice(0, sure), isOver: false }
  }

  /** How many characters at the end of the text begin a stop sequence. */
  function heldBack(text: string): number {
    for (let length = Math.min(longest - 1, text.length); length > 0; length--)
      if (stops.some(stop => stop.startsWith(text.slice(-length)))) return length
    return 0
  }

  return {
    push(token: T): TextPiece {
      undecoded = [...undecoded, token]
      const text = decode(undecoded, before)
      if (text.endsWith('\uFFFD') && undecoded.length < MOST_UNDECODED) return { text: '', isOver: false }
      before = [...before, ...undecoded].slice(-TOKENS_BEFORE)
      undecoded = []
      return release(held + text, false)
    },
    /** No more tokens come: what was held back. */
    end: (): TextPiece => release(held + (undecoded.length > 0 ? decode(undecoded, before) : ''), true),
  }
}
