/** Which order of day and month makes the rows come at equal steps, where every cell can be read with both. */
import type { DayOrder, Moment } from './moment.ts'

const DAY = 86_400_000

export function regularOrder(
  texts: readonly string[],
  read: (text: string, order: DayOrder) => Moment | undefined,
): { readonly is: DayOrder; readonly by: string } {
  const [day, month] = (['day first', 'month first'] as const).map(order =>
    regularity(texts.flatMap(text => read(text, order)?.at ?? [])),
  )
  if (day === undefined || month === undefined || day === month) return { is: 'month first', by: '' }
  return { is: day > month ? 'day first' : 'month first', by: 'as its rows then follow each other' }
}

/** 3 where all steps are the same, 2 where they are months, 1 where they only rise or fall, 0 where they do neither. */
function regularity(times: readonly number[]): number {
  const distinct = times.filter((at, i) => at !== times[i - 1])
  const steps = distinct.slice(1).map((at, i) => (at - (distinct[i] ?? at)) / DAY)
  if (steps.length === 0) return 0
  if (steps.every(step => step === steps[0])) return 3
  if (steps.every(step => Math.abs(step) >= 28 && Math.abs(step) <= 31)) return 2
  return steps.every(step => step > 0) || steps.every(step => step < 0) ? 1 : 0
}
