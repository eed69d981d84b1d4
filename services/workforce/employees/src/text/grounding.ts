/** Whether a text keeps to its brief: what of its figures and addresses stands nowhere in it. */
import type { Check } from '../answer.ts'
import type { Brief } from '../brief.ts'
import { textIn } from './text-files.ts'

/** A figure is a number of two digits or more, or with a decimal or a percent sign: “three ways” and “3 ways” claim nothing. */
export function grounding(brief: Brief, text: string): Check[] {
  const given = textOf(brief)
  const numbers = new Set(figuresIn(given))
  const invented = [...new Set(figuresIn(text))].filter(figure => !numbers.has(figure))
  const links = [...new Set(text.match(address) ?? [])].filter(link => !given.includes(link))
  return [
    { id: 'numbers_not_in_the_brief', pass: invented.length === 0, value: listed(invented), target: '0' },
    { id: 'links_not_in_the_brief', pass: links.length === 0, value: listed(links), target: '0' },
  ]
}

/** All that somebody gave, their files too. */
function textOf({ files, seed: _, ...said }: Brief): string {
  const texts: string[] = files.map((file, at) => textIn(file, `files[${at}]`))
  const collect = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner)
    else texts.push(String(value))
  }
  collect(said)
  return texts.join('\n')
}

/** Without the commas and spaces between thousands, so that 1,000 is 1000. */
const figuresIn = (text: string): string[] =>
  (text.match(figure) ?? []).map(found => found.replaceAll(/[,\s](?=\d{3}(?!\d))/g, ''))

const figure = /(?<![\p{L}\p{N}])\d(?:\d|[.,](?=\d)|[\u00a0\u202f](?=\d{3}))+(?: ?%)?|(?<![\p{L}\p{N}])\d ?%/gu
const address = /\b(?:https?:\/\/|www\.)[^\s<>"')\]]*[^\s<>"')\].,;:!?]/gi

function listed(found: readonly string[]): string {
  if (found.length === 0) return '0'
  const shown = found.slice(0, 5).map(one => one.slice(0, 100).toWellFormed())
  return `${found.length}: ${shown.join(', ')}${found.length > 5 ? ', …' : ''}`
}
