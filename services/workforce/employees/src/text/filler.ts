/** What stands in a text instead of something: gaps to be filled in, filler, and a machine that speaks of itself. */
import type { Check } from '../answer.ts'

export function filler(text: string): Check[] {
  const found = [...new Set((text.match(gaps) ?? []).map(gap => gap.slice(0, 60)))]
  const markup = text.match(tags)?.length ?? 0
  return [
    {
      id: 'no_gaps_or_filler',
      pass: found.length === 0,
      value: found.length === 0 ? '0' : `${found.length}: ${found.slice(0, 3).join(', ')}`,
      target: '0',
    },
    { id: 'no_markup', pass: markup === 0, value: markup, target: 0 },
  ]
}

const gaps =
  /\[(?:insert|your|name|company|date|customer|link|product)\b[^\]\n]{0,60}\]|\{\{[^}\n]{0,60}\}\}|<(?:insert|your|name)\b[^>\n]{0,60}>|\blorem ipsum\b|\bT(?:ODO|BD)\b|\bas an? (?:AI|artificial intelligence)\b[^.\n]{0,40}|\b(?:X{3,}|x{4,})\b/g

/** Tags of HTML, and addresses that run something: a text is a text. */
const tags = /<\/?[a-z][^<>\n]{0,200}>|<!--|\b(?:javascript|vbscript|data):\S/gi
