/** A title, a description and an opening in the words of a language model, beside what the rules find. */
import { beyond, isClose } from '../../src/claims/phrased.ts'
import type { Phrase } from '../../src/kind.ts'
import { BadAnswer } from '../../src/run-rules.ts'
import { visibleText } from '../../src/text/visible-text.ts'
import { rules } from './engine.ts'
import { LONGEST_DESCRIPTION, LONGEST_TITLE } from './findings/head.ts'
import { widthOf } from './findings/width.ts'
import { contentOf, flat, type Page } from './page/page.ts'
import { readPage } from './page/read-page.ts'
import type { Input, Result, Wording } from './result.ts'

export const phrase: Phrase<Input, Result, Wording> = brief => {
  const { tone, audience, constraints } = brief
  const { result, text, warnings = [], ...answer } = rules(brief)
  const content = textOf(readPage(brief))
  const { page, language } = result
  const keywords = result.keywords.map(({ keyword }) => keyword)
  return {
    shown: {
      tone,
      audience,
      constraints,
      language,
      keywords,
      title: page.title,
      description: page.description,
      content,
    },
    answerWith(words) {
      const wording: Wording = {
        title: plain(words.title),
        description: plain(words.description),
        opening: plain(words.opening),
      }
      const faults = unfaithful(wording, content)
      if (faults.length > 0) throw new BadAnswer(faults.join('; '))
      const { title, description, opening } = wording
      const said = `A title: ${title}\nA description: ${description}\nAn opening: ${opening}`
      return { ...answer, result: { ...result, wording }, text: `${text}\n${said}`, warnings }
    },
  }
}

/** What of a wording does not stand on the page, or has no room where it is shown. */
export function unfaithful(wording: Wording, content: string): string[] {
  const rooms: Readonly<Record<keyof Wording, number>> = {
    title: LONGEST_TITLE,
    description: LONGEST_DESCRIPTION,
    opening: LONGEST_OPENING,
  }
  return (Object.keys(rooms) as (keyof Wording)[]).flatMap(name => {
    const text = wording[name]
    const width = widthOf(text)
    return [
      ...(width > rooms[name] ? [`it is too long, ${width} of ${rooms[name]}`] : []),
      ...beyond({ text, from: content }),
      ...(isClose({ text, from: content }) ? [] : ['most of its words stand nowhere there']),
    ].map(fault => `${name}: ${fault}`)
  })
}

const LONGEST_OPENING = 800
/** Of a page, as much is read for it. */
const MOST_CHARACTERS = 20_000

/** What readers of a page read, from its beginning. */
export function textOf(page: Page): string {
  let text = ''
  for (const block of contentOf(page)) {
    if (text.length > MOST_CHARACTERS) break
    text += `${block.text.slice(0, MOST_CHARACTERS)}\n`
  }
  return text.slice(0, MOST_CHARACTERS)
}

const plain = (text: string) => flat(visibleText(text))
