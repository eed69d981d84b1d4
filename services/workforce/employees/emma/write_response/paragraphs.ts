/** Whether each paragraph of a reply says something, and something of what it answers. */
import { isTooShort, type TopicCheck, topicCheck } from '../../src/claims/topic.ts'

/** What may be spoken of is in `from`. Short paragraphs are judged together; a reply that is short as a whole is not judged. */
export function paragraphChecks(
  paragraphs: readonly string[],
  from: readonly string[],
  language: string,
): TopicCheck[] {
  const empty = paragraphs.filter(text => !/[\p{L}\p{N}]/u.test(text)).length
  const short = paragraphs.filter(isTooShort).join('\n')
  const judged = [...paragraphs.filter(text => !isTooShort(text)), ...(isTooShort(short) ? [] : [short])]
  return [
    { check: { id: 'no_empty_paragraph', pass: empty === 0, value: empty, target: 0 }, isChecked: true },
    ...(judged.length === 0 ? [] : [ofParagraphs(topicCheck(judged, { name: 'paragraph', from, language }))]),
  ]
}

const ofParagraphs = ({ check, isChecked }: TopicCheck): TopicCheck => ({
  check: { ...check, target: 'all paragraphs, the short ones together as one' },
  isChecked,
})
