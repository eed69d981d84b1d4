/** The page of a brief: in its input, or the one file that came with it. */
import { type Brief, type BriefFile, Refusal } from '../../../src/brief.ts'
import { textOfFile } from '../../../src/text/text-files.ts'
import type { Input } from '../result.ts'
import type { Page } from './page.ts'
import { readHtml } from './read-html.ts'
import { readText } from './read-text.ts'

const MOST_CHARACTERS = 10_000_000

export function readPage({ input, files }: Brief<Input>): Page {
  const { html, text } = input
  const given = [html, text, ...files].filter(one => one !== undefined)
  if (given.length === 0)
    throw new Refusal('input.html', 'There is no page: give its HTML, a text, or a file that is one of both.')
  if (given.length > 1)
    throw new Refusal('input', 'There are several pages; give one, as `html`, as `text` or as a file.')
  if (html !== undefined) return readHtml('html', bounded(html, 'input.html'), 'input.html')
  if (text !== undefined) return readText('text', bounded(text, 'input.text'), 'input.text')
  return readFile(files[0] as BriefFile)
}

function readFile(file: BriefFile): Page {
  const isPage = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(file.media_type)
  const text = bounded(textOfFile(isPage ? { ...file, media_type: 'text/html' } : file, 'files[0]'), 'files[0]')
  return isPage ? readHtml(file.name, text, 'files[0]') : readText(file.name, text, 'files[0]')
}

/** Signs of white space alone are nothing to judge. */
function bounded(text: string, param: string): string {
  if (text.length > MOST_CHARACTERS)
    throw new Refusal(param, `There are ${text.length} characters; at most ${MOST_CHARACTERS} are read at once.`)
  if (text.trim() === '') throw new Refusal(param, 'It is empty: there is nothing to judge.')
  return text
}
