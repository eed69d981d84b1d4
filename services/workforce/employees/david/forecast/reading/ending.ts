/** Values that are missing at the end of a series: what is said of them, as the forecast begins there. */

/** `numbers` are those of the values from 1; `next` is the name of the step after the last known value. */
export function endingSaid(numbers: readonly number[], count: number, next?: string): readonly string[] {
  if (numbers.length === 0) return []
  const more = numbers.length - MOST_NAMED
  const named = `${numbers.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const [values, are] = numbers.length === 1 ? ['Value', 'is'] : ['Values', 'are']
  return [
    `${values} ${named} of ${count}, at the end, ${are} missing: the forecast begins ${next === undefined ? '' : `with ${next}, `}right after the last value that is there.`,
  ]
}

const MOST_NAMED = 5
