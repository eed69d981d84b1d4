/** Numbers in words: “forty-two”, “half”, “thousand”. */

export const isNumberWord = (text: string): boolean => numberWord.test(text)

const small =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const small1to9 = small.slice(0, 9).join('|')
/** As parts of a regular expression. */
export const word = String.raw`(?:${tens.join('|')})(?:[- ](?:${small1to9}))?|${small.slice().reverse().join('|')}`
export const scale = 'hundred|thousand|million|billion'

const numberWord = new RegExp(`^(?:${word}|${scale}|half|twice|dozens?)$`, 'i')

export function wordValue(words: string): number {
  return words
    .toLowerCase()
    .split(/[- ]/)
    .reduce((sum, part) => sum + (small.indexOf(part) + 1 || (tens.indexOf(part) + 2) * 10), 0)
}

export const scaleOf = (factor: string | undefined): number =>
  ({ hundred: 100, thousand: 1e3, k: 1e3, million: 1e6, m: 1e6, billion: 1e9, bn: 1e9 })[factor?.toLowerCase() ?? ''] ??
  1
