/** The text itself: too little, twice, too long. */
import { sentencesOf } from '../../../src/text/sentences.ts'
import { type Block, contentOf, flat, named } from '../page/page.ts'
import type { Readability } from '../result.ts'
import { changed, type Fault, type Judged, shortened } from './fault.ts'
import { isHard } from './reading-ease.ts'

const FEWEST_WORDS = 150
const LONGEST_PARAGRAPH = 180
const LONGEST_SENTENCE = 45
/** Shorter blocks may well stand there twice. */
const SHORTEST_REPEATED = 60
const SENTENCE = /[.!…。！]\s*["”’)\]]?$/
/** Of a paragraph, as much as is read for its sentences. */
const MOST_OF_PARAGRAPH = 20_000

export function judgeContent(judged: Judged, readability: Readability): Fault[] {
  const { page } = judged
  const content = contentOf(page)
  const paragraphs = content.filter(({ tag }) => !/^(?:h\d|pre)$/.test(tag))
  return [...thin(), ...repeated(), ...paragraphs.flatMap(long), ...hard()]

  function thin(): Fault[] {
    const words = content.reduce((sum, { text }) => sum + countOf(text), 0)
    const block = paragraphs[0] ?? content[0] ?? page.blocks[0]
    const anchor = block ??
      page.elements.find(({ name }) => name === 'body') ??
      page.elements[0] ?? { start: 0, end: 1 }
    if (words >= FEWEST_WORDS) return []
    const message = `The page has ${words} words of its own; ${FEWEST_WORDS} are the least.`
    const after = `${block ? shortened(block.text, 300) : ''} [what else people want to know who look for this]`.trim()
    return [changed(page, 'content_thin', anchor, message, after)]
  }

  function repeated(): Fault[] {
    const seen = new Set<string>()
    const links = new Set(named(page, 'a').map(({ text }) => text))
    return content.flatMap(block => {
      // Menus, tables of contents and definitions say the same again where it is meant.
      const isProse = !block.isListed && !links.has(block.text) && SENTENCE.test(block.text.slice(-20))
      if (block.text.length < SHORTEST_REPEATED || !isProse) return []
      const key = block.text.toLowerCase()
      if (seen.has(key)) return [changed(page, 'content_repeated', block, 'This text stands on the page before.', '')]
      seen.add(key)
      return []
    })
  }

  function long(block: Block): Fault[] {
    const words = countOf(block.text)
    const text = block.text.slice(0, MOST_OF_PARAGRAPH)
    const sentences = words > LONGEST_SENTENCE ? sentencesOf(text).map(({ start, end }) => text.slice(start, end)) : []
    const tooLong = sentences.find(sentence => countOf(sentence) > LONGEST_SENTENCE)
    const middle = sentences[Math.ceil(sentences.length / 2)]
    return [
      ...(words > LONGEST_PARAGRAPH
        ? [
            changed(
              page,
              'paragraph_long',
              block,
              `The paragraph has ${words} words; up to ${LONGEST_PARAGRAPH} are read.`,
              sentences.length > 1 && middle !== undefined
                ? `[a new paragraph at “${shortened(middle, 80)}”]`
                : '[the same in several paragraphs]',
            ),
          ]
        : []),
      ...(tooLong === undefined ? [] : [longSentence(block, tooLong)]),
    ]
  }

  function longSentence(block: Block, sentence: string): Fault {
    const at = page.raw.slice(block.start, block.end).indexOf(sentence)
    const start = block.start + at
    const place = at === -1 ? block : { start, end: start + sentence.length }
    const message = `A sentence here has ${countOf(sentence)} words; up to ${LONGEST_SENTENCE} are read with ease.`
    const cut = Math.max(sentence.lastIndexOf('; ', sentence.length * 0.75), sentence.indexOf('; '))
    const after =
      cut === -1
        ? '[the same in two or three sentences]'
        : `${sentence.slice(0, cut)}. ${sentence.charAt(cut + 2).toUpperCase()}${sentence.slice(cut + 3)}`
    return changed(page, 'sentence_long', place, message, shortened(after))
  }

  function hard(): Fault[] {
    const longest = paragraphs.toSorted((a, b) => b.text.length - a.text.length)[0]
    if (!isHard(readability) || !longest) return []
    const message = `The text has ${readability.score} by ${methods[readability.method]}: ${readability.meaning.toLowerCase()}`
    return [
      changed(page, 'reading_hard', longest, message, '[the same in shorter sentences and with more common words]'),
    ]
  }
}

const methods = { flesch: 'Flesch', amstad: 'Amstad', lix: 'LIX', none: 'no formula' } as const

/** Words; where writing has no spaces, two characters count as one. */
function countOf(text: string): number {
  const unspaced = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0
  if (unspaced > text.length / 3) return Math.ceil(unspaced / 2)
  const words = flat(text)
  let count = 0
  for (const word of words.split(' ')) if (/[\p{L}\p{N}]/u.test(word.slice(0, 100))) count++
  return count
}
