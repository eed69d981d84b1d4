/** The knowledge given, in pieces that answer a question each. */

/** A text that was given as knowledge. */
export interface Source {
  /** As the brief names it. */
  readonly name: string
  readonly text: string
}

export interface Passage {
  readonly source: string
  /** The headings above its own, outermost first. */
  readonly sections: readonly string[]
  /** Its own heading, or the name of its source. */
  readonly heading: string
  /** Word for word, but with one space wherever there was more. */
  readonly text: string
}

/** A passage ends with the paragraph in which it passes so many words. */
const WORDS = 120

/** Cuts Markdown, or plain text, at its headings, and what is long between two at paragraphs. */
export function passagesOf({ name, text }: Source): Passage[] {
  const passages: Passage[] = []
  const headings: string[] = []
  let paragraphs: string[] = []
  let words = 0
  const end = () => {
    const heading = headings.findLast(found => found !== undefined) ?? name
    const sections = headings.slice(0, -1).filter(found => found !== undefined)
    if (paragraphs.length > 0) passages.push({ source: name, sections, heading, text: paragraphs.join('\n') })
    paragraphs = []
    words = 0
  }
  let isCode = false
  // Whether a line goes on with the paragraph of the one before it.
  let goesOn = false
  for (const line of text.split('\n')) {
    const found = line.trim().replaceAll(/\s+/g, ' ')
    const isFence = /^(?:```|~~~)/.test(found)
    if (isFence) isCode = !isCode
    const heading = isCode ? null : /^(#{1,6}) (.+)$/.exec(found)
    if (heading) {
      end()
      const level = (heading[1] as string).length
      headings.length = Math.min(headings.length, level - 1)
      headings[level - 1] = (heading[2] as string).replace(/ #+$/, '')
    } else if (found === '') {
      if (words > WORDS) end()
    } else {
      // A line of a list, a table or code stands for itself.
      if (goesOn && !isCode && !isFence && !/^(?:[-*+|>]|\d+[.)]) ?/.test(found))
        paragraphs.push(`${paragraphs.pop()} ${found}`)
      else paragraphs.push(found)
      words += found.split(' ').length
    }
    goesOn = found !== '' && !heading && !isCode && !isFence
  }
  end()
  return passages
}
