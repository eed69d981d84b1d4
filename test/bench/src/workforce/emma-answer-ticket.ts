/** Emma answers tickets from a handbook, and escalates what is not in it. */
import { measure, type Score } from '@millhand/workforce/employees/emma/answer_ticket/bar/bar.ts'
import { exampleTime } from '../brief-time.ts'
import type { Figure } from '../figure.ts'

export async function figures(): Promise<Figure[]> {
  const share = (part: number, whole: number) => (100 * part) / whole
  const figure = (name: string, value: number, rest: Partial<Figure> = {}): Figure => ({
    section: 'workforce',
    name: `emma answer_ticket: ${name}`,
    unit: '%',
    rounds: [value],
    limits: [],
    details: {},
    ...rest,
  })
  // Of another trade, and nothing was chosen by it: the other parts stand beside it.
  const whole = await measure(['untouched'])
  const names = ['tuning', 'held_out', 'tuning_more', 'unseen', 'fresh', 'stranger', 'untouched'] as const
  const parts = await Promise.all(names.map(async part => ({ part, score: await measure([part]) })))
  const byPart = (of: (score: Score) => number) => Object.fromEntries(parts.map(({ part, score }) => [part, of(score)]))
  const right = ({ rightFirst, answerable }: Score) => share(rightFirst, answerable)
  const escalated = ({ escalated: those, unanswerable }: Score) => share(those, unanswerable)
  const answered = (score: Score) => share(score.answered, score.answerable)
  const answeredRight = (score: Score) => share(score.answeredRight, score.answered)
  return [
    figure('right passage first', right(whole), { aim: { least: 85 }, details: byPart(right) }),
    figure('unanswerable escalated', escalated(whole), { aim: { least: 95 }, details: byPart(escalated) }),
    figure('answers without a citation', whole.uncited, { unit: '', aim: { most: 0 } }),
    figure('answerable answered', answered(whole), { details: byPart(answered) }),
    figure('of them from the right passage', answeredRight(whole), { details: byPart(answeredRight) }),
    await exampleTime('emma', 'answer_ticket'),
  ]
}
