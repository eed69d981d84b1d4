/** Words with one slip in them. */

const LEAST_LENGTH = 5

/**
 * Gives, for a word that is not known, the known one that is one slip away (a letter more, less, another, or two changed over);
 * undefined where there is none or more than one.
 */
export function speller(known: Iterable<string>): (word: string) => string | undefined {
  let byShorter: Map<string, string[]> | undefined
  return word => {
    if (!isFit(word)) return undefined
    byShorter ??= shortened(known)
    const near = new Set<string>()
    for (const shorter of [word, ...withoutOne(word)])
      for (const candidate of byShorter.get(shorter) ?? []) if (isOneSlip(word, candidate)) near.add(candidate)
    return near.size === 1 ? [...near][0] : undefined
  }
}

/** The known words by all that they become by leaving out a letter: two that are one slip apart meet there. */
function shortened(known: Iterable<string>): Map<string, string[]> {
  const words = new Map<string, string[]>()
  for (const word of known)
    if (isFit(word))
      for (const shorter of [word, ...withoutOne(word)]) {
        const longer = words.get(shorter)
        if (longer) longer.push(word)
        else words.set(shorter, [word])
      }
  return words
}

const isFit = (word: string) => word.length >= LEAST_LENGTH && word.length <= LONGEST

const LONGEST = 30

function* withoutOne(word: string): Iterable<string> {
  for (let at = 0; at < word.length; at++) yield word.slice(0, at) + word.slice(at + 1)
}

function isOneSlip(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  return (left.length <= 1 && right.length <= 1) || (left.length === 2 && left === [...right].reverse().join(''))
}
