import type { Result } from './result.ts'

/** Findings told in full. */
const MOST = 12

/** The result in words. */
export function readingOf({ source, summary, findings, readability, keywords }: Result): string {
  const { high, medium, low } = summary
  const count = high + medium + low
  const first =
    count === 0
      ? `Nothing was found in ${source} that keeps it from being found.`
      : `${count} ${count === 1 ? 'thing' : 'things'} to mend in ${source}: ${high} of high, ${medium} of medium and ${low} of low weight.`
  const told = findings
    .slice(0, MOST)
    .map(({ rank, message, why, place, after }) =>
      [
        `${rank}. Line ${place.line}: ${message} ${why}`,
        after === ''
          ? '   Remove it.'
          : `   Better: ${after.length > 300 ? `${after.slice(0, 300).toWellFormed()}…` : after}`,
      ].join('\n'),
    )
  const more = findings.length > MOST ? [`And ${findings.length - MOST} more, of less weight.`] : []
  return [first, ...told, ...more, readingLine(readability), ...keywords.map(keywordLine)].join('\n')
}

function readingLine({ method, score, meaning, words_per_sentence }: Result['readability']): string {
  if (method === 'none') return `How it reads: ${meaning}`
  const name = { flesch: 'Flesch’s', amstad: 'Amstad’s', lix: 'the LIX' }[method]
  return `How it reads: ${score} by ${name} formula, ${words_per_sentence} words in a sentence. ${meaning}`
}

function keywordLine({
  keyword,
  count,
  in_title,
  in_description,
  in_headings,
  in_beginning,
}: Result['keywords'][number]) {
  const places = [
    in_title && 'title',
    in_description && 'description',
    in_headings && 'headings',
    in_beginning && 'beginning',
  ].filter(place => place !== false)
  const where = places.length === 0 ? '' : `, and in: ${places.join(', ')}`
  return `“${keyword}” stands in the text ${count} ${count === 1 ? 'time' : 'times'}${where}.`
}
