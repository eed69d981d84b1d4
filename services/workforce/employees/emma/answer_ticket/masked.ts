/** The ticket and the knowledge of a brief as all else reads them: masked, so that nothing personal can go out. */
import { type Brief, Refusal } from '../../src/brief.ts'
import { plainText } from '../../src/text/plain-text.ts'
import { textOfFile } from '../../src/text/text-files.ts'
import { visibleText } from '../../src/text/visible-text.ts'
import { createMask, type Masked } from '../personal/mask.ts'
import { withTargets } from './links.ts'
import type { Input } from './result.ts'
import type { Source } from './search/passages.ts'

interface MaskedBrief {
  readonly ticket: string
  readonly sources: readonly Source[]
  readonly found: readonly Masked[]
}

/** In one order, since the number of a placeholder says when its datum was met. Throws a `Refusal` where it is too much. */
export function maskedOf(brief: Brief<Input>): MaskedBrief {
  const mask = createMask(brief.input.public_contacts)
  const clean = (text: string) => mask.mask(visibleText(text).normalize('NFC'))
  // A mail may be HTML; of an article its code is text.
  const ticket = mask.mask(
    plainText([brief.input.subject ?? '', brief.input.ticket].filter(text => text !== '').join('\n')),
  )
  const sources = sourcesOf(brief).map(({ name, text }) => ({ name: clean(name), text: clean(text) }))
  return { ticket, sources, found: mask.found() }
}

const MOST_CHARACTERS = 2_000_000

function sourcesOf({ input, files }: Brief<Input>): Source[] {
  const sources = [
    ...(input.knowledge ?? []).map(({ title, source, text }) => ({
      name: source ?? title,
      text: withTitle(title, withTargets(text)),
    })),
    ...files.map((file, at) => ({ name: file.name, text: withTargets(textOfFile(file, `files[${at}]`)) })),
  ]
  const characters = sources.reduce((sum, { text }) => sum + text.length, 0)
  if (characters > MOST_CHARACTERS)
    throw new Refusal(
      'input.knowledge',
      `The knowledge has ${characters} characters; at most ${MOST_CHARACTERS} can be searched for a ticket. Give the articles that may matter.`,
    )
  return sources
}

/** A title is the outermost heading, unless the text begins with it. */
const withTitle = (title: string, text: string) => (/^\s*# /.test(text) ? text : `# ${title}\n${text}`)
