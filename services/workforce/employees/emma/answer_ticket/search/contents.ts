/** Tables of contents and menus: they have the words of what they lead to, and say nothing. */
import type { Block } from './passages.ts'

/** `titles`: the headings of the article, in small letters. */
export function isContents(heading: string, blocks: readonly Block[], titles: ReadonlySet<string>): boolean {
  if (blocks.length === 0) return false
  const entries = blocks.filter(({ kind, text }) => kind !== 'code' && isEntry(text, titles)).length
  const isMenu = entries === blocks.length && blocks.some(({ text }) => parted(text))
  const least = named.test(heading) ? 1 / 2 : 4 / 5
  return isMenu || (entries >= LEAST_ENTRIES && entries >= least * blocks.length)
}

const LEAST_ENTRIES = 3
const LONGEST = 300

const named =
  /^(?:(?:table of )?contents|index|(?:main |site )?(?:menu|navigation)|on this page|in this article|inhalt(?:sverzeichnis)?|übersicht|sommaire|table des matières|índice|contenido|indice|inhoud(?:sopgave)?)[:.]?$/i

function isEntry(text: string, titles: ReadonlySet<string>): boolean {
  if (text.length > LONGEST) return false
  // “- 1.2 Refunds ..... 12”
  const entry = text
    .replace(/^(?:[-*+•] +)?(?:\d{1,2}(?:\.\d{1,2})*[.)]? +)?/, '')
    .replace(/[ .…]{3,}\d{1,4}$/, '')
    .replaceAll(/^(?:\*\*|__)|(?:\*\*|__)$/g, '')
  return link.test(entry) || titles.has(entry.toLowerCase()) || parted(entry)
}

const link = /^\[[^[\]]{1,200}\]\([^()\s]{1,500}\)$/

/** “Home | Shop | Cart”: names and no sentence; a row of a table begins with the sign. */
function parted(text: string): boolean {
  const parts = text.split(/ ?[|•·›»] ?/)
  return (
    parts.length >= 3 && !/^\||[.!?]$/.test(text) && parts.every(part => part !== '' && part.split(' ').length <= 3)
  )
}
