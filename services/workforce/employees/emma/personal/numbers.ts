/** Numbers in groups of digits: cards, telephones, social security. */
import type { Found } from './found.ts'

interface Group {
  readonly digits: string
  readonly start: number
  readonly end: number
  /** What stands between it and the group before; undefined where that is no separator. */
  readonly separator: string | undefined
}

export function* numbers(text: string): Iterable<Found> {
  const groups = groupsOf(text)
  // Cards first: the digits before one are no part of it, whatever else they look like.
  const isTaken = new Set<Group>()
  for (const find of [cardAt, dateAt, socialSecurityAt, phoneAt])
    for (let at = 0; at < groups.length; at++) {
      const found = find(groups, at, text, isTaken)
      if (!found) continue
      if (found.kind !== 'date') yield { kind: found.kind, start: found.start, end: found.end }
      for (const group of groups.slice(at, at + found.groups)) isTaken.add(group)
      at += found.groups - 1
    }
}

const MOST_SEPARATOR = 3

function groupsOf(text: string): Group[] {
  const groups: Group[] = []
  for (const { 0: digits, index: start } of text.matchAll(/[0-9]+/g)) {
    const end = groups.at(-1)?.end ?? -1
    const between = start - end <= MOST_SEPARATOR ? text.slice(end, start) : ''
    const isSeparator = end >= 0 && /^[ \u00a0\n./()-]{1,3}$|^ ?[-–] ?$|^\) ?$/.test(between)
    groups.push({ digits, start, end: start + digits.length, separator: isSeparator ? between : undefined })
  }
  return groups
}

type Match = Omit<Found, 'kind'> & { readonly kind: Found['kind'] | 'date'; readonly groups: number }

/** Groups from one on as long as separators join them, and no more digits than wanted. */
function* joined(
  groups: readonly Group[],
  at: number,
  isTaken: ReadonlySet<Group>,
  most: number,
): Iterable<{ digits: string; groups: number; end: number }> {
  let digits = ''
  for (let next = at; next < groups.length; next++) {
    const group = groups[next] as Group
    if (isTaken.has(group) || (next > at && group.separator === undefined)) return
    digits += group.digits
    if (digits.length > most) return
    yield { digits, groups: next - at + 1, end: group.end }
  }
}

/** 13 to 19 digits with the right check digit, of which the first says a card. */
function cardAt(groups: readonly Group[], at: number, _: string, isTaken: ReadonlySet<Group>): Match | undefined {
  const { start, digits: first } = groups[at] as Group
  if (!/^[2-6]/.test(first)) return undefined
  for (const { digits, groups: count, end } of joined(groups, at, isTaken, 19))
    if (digits.length >= 13 && isLuhn(digits)) return { kind: 'card', start, end, groups: count }
  return undefined
}

function isLuhn(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const twice = digit * 2
    sum += at % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice
  }
  return sum % 10 === 0
}

/** 14-03-2025, 03/14/2025 or 2025.03.14, so that nothing takes one for a telephone. */
function dateAt(groups: readonly Group[], at: number): Match | undefined {
  const [first, second, third] = [groups[at], groups[at + 1], groups[at + 2]]
  if (!first || !second || !third || second.separator !== third.separator) return undefined
  if (!/^[./-]$/.test(second.separator ?? '') || /^[./-]$/.test(first.separator ?? '')) return undefined
  if (/^[./-]$/.test(groups[at + 3]?.separator ?? '')) return undefined
  const written = [first, second, third].map(({ digits }) => digits).join('-')
  if (!/^(?:[0-3]?\d-[0-3]?\d-(?:19|20)\d\d|(?:19|20)\d\d-[01]?\d-[0-3]?\d)$/.test(written)) return undefined
  return { kind: 'date', start: first.start, end: third.end, groups: 3 }
}

/** Of the United States: 3, 2 and 4 digits, of the ranges that are given out. */
function socialSecurityAt(groups: readonly Group[], at: number): Match | undefined {
  const [area, group, serial] = [groups[at], groups[at + 1], groups[at + 2]]
  if (area?.digits.length !== 3 || group?.digits.length !== 2 || serial?.digits.length !== 4) return undefined
  if (group.separator !== serial.separator || !/^[ -]$/.test(group.separator ?? '')) return undefined
  if (/^(?:000|666|9)/.test(area.digits) || group.digits === '00' || serial.digits === '0000') return undefined
  return { kind: 'social_security', start: area.start, end: serial.end, groups: 3 }
}

/** With a country code, or as it is dialled at home, or after a word that says so. */
function phoneAt(groups: readonly Group[], at: number, text: string, isTaken: ReadonlySet<Group>): Match | undefined {
  const first = groups[at] as Group
  const before = text.slice(Math.max(0, first.start - 24), first.start)
  if (/[\p{L}\p{N}_]$/u.test(before)) return undefined
  const isInternational = /\+ ?\(?$/.test(before) || /^00[1-9]/.test(first.digits)
  const isAnnounced = announced.test(before)
  const isHome = first.digits.startsWith('0')
  const american = americanGroups(groups, at)
  const brazilian = /\($/.test(before) && isBrazilian(groups, at) ? 3 : 0
  const least = isInternational || isHome ? 8 : isAnnounced ? 6 : american > 0 || brazilian > 0 ? 10 : undefined
  if (least === undefined) return undefined
  let best: Match | undefined
  for (const { digits, groups: count, end } of joined(groups, at, isTaken, 15)) {
    const isDialled = isInternational || isAnnounced || (isHome ? count > 1 : count === american || count === brazilian)
    if (isDialled && digits.length >= least && !/^[\p{L}\p{N}_]/u.test(text.charAt(end)))
      best = { kind: 'phone', start: startOf(text, first.start), end, groups: count }
  }
  return best
}

const announced =
  /(?<!\p{L})(?:[a-z]{0,8}phone|mobile?|m[oó]vil|handy|cell|call|tel|t[eé]l[eé]|fax|whatsapp|(?<!(?:article|booking|case|contract|customer|invoice|model|order|part|reference|serial|ticket|tracking) )number|nummer)[a-z]{0,8}[ .:]{0,3}(?:(?:is|me|at|on|us|under) ){0,2}[+(]?$/iu

/** How many groups from one on are a North American number, 1-800-555-0199 or (415) 555-2671; 0 where they are none. */
function americanGroups(groups: readonly Group[], at: number): number {
  const start = groups[at]?.digits === '1' ? 1 : 0
  const isShaped = [3, 3, 4].every((length, next) => groups[at + start + next]?.digits.length === length)
  return isShaped && /^[2-9]/.test(groups[at + start]?.digits ?? '') ? start + 3 : 0
}

/** (11) 95550-4321, the first in brackets. */
const isBrazilian = (groups: readonly Group[], at: number): boolean =>
  /^\d\d-\d{4,5}-\d{4}$/.test(
    groups
      .slice(at, at + 3)
      .map(({ digits }) => digits)
      .join('-'),
  ) && groups[at + 1]?.separator?.startsWith(')') === true

/** With the plus and the bracket before it. */
function startOf(text: string, start: number): number {
  let from = start
  while (from > 0 && /[+( ]/.test(text.charAt(from - 1)) && start - from < 3) from--
  while (text.charAt(from) === ' ') from++
  return from
}
