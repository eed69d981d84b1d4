/** Times of day: “3.40 pm”, “15:40” and “twenty to four” are the same. */

export interface ClockTime {
  /** Minutes since midnight. Without “am” or “pm”, the hour as it is written. */
  readonly minutes: number
  /** Whether it may be in the morning or in the afternoon. */
  readonly isEither: boolean
  readonly start: number
  readonly end: number
}

const hourWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const hour = String.raw`\d{1,2}|${hourWords.join('|')}`
const half = String.raw`a\.?m\.?(?!\p{L})|p\.?m\.?(?!\p{L})|in the (?:morning|afternoon|evening)|at night`
const dayBefore = String.raw`(?:at|from|until|till|by|arrived|left|began|ended|starts?|ends?|opens?|closes?|doors|January|February|March|April|May|June|July|August|September|October|November|December|\d(?:st|nd|rd|th)?|days?),?\s`
const clock = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,:€£$])(?:(?:(?<past>(?:half past|(?:a )?(?:quarter|five|ten|twenty|twenty-five) (?:minutes )?(?:past|to))|(?<=(?:at|till|until|by|from|before|after) )half(?= (?:${hourWords.join('|')})(?!\p{L})(?! (?:hours?|days?|weeks?|months?|years?|euros?|pounds?|dollars?)))) )(?<pastHour>${hour})(?!\p{L}|\d)(?: ?(?<pastHalf>${half}))?|(?<hour>${hour})(?:[:.](?<minute>[0-5]\d))? ?(?<half>${half})|(?<plainHour>\d{1,2}):(?<plainMinute>[0-5]\d)(?!\d)|(?<=${dayBefore})(?<dottedHour>\d{1,2})\.(?<dottedMinute>[0-5]\d)(?!\d|[.,]\d| ?(?:%|[€£$]|(?!(?:and|or|on|to|at|until|till|for|in|with|by|if|as)(?!\p{L}))\p{L}))|(?<named>noon|midday|midnight)(?!\p{L}))`,
  'giu',
)

export const clockTimesIn = (text: string): ClockTime[] => {
  const written = writtenIn(text)
  const times = [...written, ...rangesIn(text).filter(({ start }) => !written.some(one => one.start === start))]
  const bare = [...text.matchAll(between)].flatMap(({ indices, index }) =>
    !ofDay.test(text.slice(Math.max(0, index - 60), index + 60))
      ? []
      : [indices?.[1], indices?.[2]].flatMap(span => {
          const [start = 0, end = 0] = span ?? []
          const hours = hourOf(text.slice(start, end))
          return hours > 24 || times.some(one => start < one.end && one.start < end)
            ? []
            : [{ start, end, minutes: hours * 60, isEither: hours < 13 }]
        }),
  )
  return [...times, ...bare].sort((one, other) => one.start - other.start)
}

/** “2 to 4 pm”: the first is of the same half of the day, unless it would be later than the second. */
const rangesIn = (text: string): ClockTime[] =>
  [...text.matchAll(range)].flatMap(({ 0: shown, 1: first = '', 2: last = '', 3: said = '', index }) => {
    const [from, to] = [first, last].map(
      each => hourOf(each.split(/[:.]/)[0] ?? '') * 60 + Number(each.split(/[:.]/)[1] ?? 0),
    ) as [number, number]
    // “9.30 to 5.30”
    if (said === '')
      return /[:.]/.test(first + last) && to < 1_440
        ? [
            { start: index, end: index + first.length, minutes: from, isEither: from < 780 },
            { start: index + shown.length - last.length, end: index + shown.length, minutes: to, isEither: to < 780 },
          ]
        : []
    if (from > 720 || to > 720) return []
    const isLate = /^p/i.test(said) !== from % 720 > to % 720
    const minutes = (from % 720) + (isLate ? 720 : 0)
    return [{ start: index, end: index + first.length, minutes, isEither: false }]
  })

const range =
  /(?<![\p{L}\p{N}.,:£€$])(\d{1,2}(?:[:.][0-5]\d)?) ?(?:to|-|–|until|till) ?(\d{1,2}(?:[:.][0-5]\d)?) ?(a\.?m|p\.?m)?(?!\p{L}|\d|[.,:]\d)/giu

/** “Saturday between 9 and 11”. */
const between = new RegExp(
  String.raw`(?<!\p{L})(?:between|from) (${hour}) (?:and|to|until|till|–|-) (${hour})(?=[.,;!?)]|$|:(?:$|\s)| (?:on|in|at|for|and|or|every|with|o'clock)(?!\p{L}))`,
  'dgiu',
)
const ofDay = /day|open|morning|afternoon|evening|tonight|tomorrow|daily|o'clock|a\.?m\.?(?!\p{L})|p\.?m\.?(?!\p{L})/iu

const writtenIn = (text: string): ClockTime[] =>
  [...text.matchAll(clock)].flatMap(({ 0: shown, index, groups = {} }) => {
    const { past, pastHour, named } = groups
    const span = { start: index, end: index + shown.length }
    if (named !== undefined) return [{ ...span, minutes: /midnight/i.test(named) ? 0 : 720, isEither: false }]
    const hours = hourOf(pastHour ?? groups.hour ?? groups.plainHour ?? groups.dottedHour ?? '')
    const written = Number(groups.minute ?? groups.plainMinute ?? groups.dottedMinute ?? 0)
    if (hours > 24) return []
    const minutes = hours * 60 + (past === undefined ? written : minutesBeside(past))
    const said = (groups.half ?? groups.pastHalf ?? '').toLowerCase()
    if (said === '') return [{ ...span, minutes, isEither: hours < 13 }]
    if (/^p|afternoon|evening/.test(said))
      return [{ ...span, minutes: hours < 12 ? minutes + 720 : minutes, isEither: false }]
    return [{ ...span, minutes: minutes % 720, isEither: said === 'at night' }]
  })

/** “Twenty to four”; “half six” is half past six. */
function minutesBeside(past: string): number {
  const minutes = minuteWords.get(/half|quarter|twenty-five|five|ten|twenty/i.exec(past)?.[0].toLowerCase() ?? '') ?? 0
  return /to$/i.test(past) ? -minutes : minutes
}

const minuteWords: ReadonlyMap<string, number> = new Map([
  ['five', 5],
  ['ten', 10],
  ['quarter', 15],
  ['twenty', 20],
  ['twenty-five', 25],
  ['half', 30],
])

const hourOf = (text: string): number => hourWords.indexOf(text.toLowerCase()) + 1 || Number(text)
