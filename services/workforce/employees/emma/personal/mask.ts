/** Takes out of texts what is personal or secret, and remembers what it was only as a number. */
import { addresses } from './address.ts'
import { births } from './birth.ts'
import { emails } from './email.ts'
import { fold } from './fold.ts'
import type { Found, PersonalKind } from './found.ts'
import { ibans } from './iban.ts'
import { ipAddresses } from './ip-address.ts'
import { names } from './name.ts'
import { numbers } from './numbers.ts'
import { passports } from './passport.ts'
import { secrets } from './secret.ts'

export interface Masked {
  readonly placeholder: string
  readonly kind: PersonalKind
  readonly times: number
}

export interface Mask {
  /** The text with a placeholder, such as `[email 1]`, for each thing found; the same thing has the same one everywhere. */
  mask(text: string): string
  /** What was taken out so far, in the order in which it was met. */
  found(): Masked[]
}

/** `open` is what may go out as it is: contact addresses that everybody may have. */
export function createMask(open: readonly string[] = []): Mask {
  const isOpen = new Set(open.map(bare))
  const placeholders = new Map<string, { kind: PersonalKind; placeholder: string; times: number }>()
  const counts = new Map<PersonalKind, number>()

  const placeholderOf = (kind: PersonalKind, value: string) => {
    const key = `${kind} ${bare(value)}`
    const known = placeholders.get(key)
    if (known) known.times++
    else {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      placeholders.set(key, { kind, placeholder: `[${kind.replace('_', ' ')} ${counts.get(kind)}]`, times: 1 })
    }
    return (placeholders.get(key) as { placeholder: string }).placeholder
  }

  return {
    mask(text) {
      const folded = fold(text)
      const parts: string[] = []
      let from = 0
      for (const { kind, start, end } of apart(findersOf(folded.text))) {
        const value = folded.text.slice(start, end)
        if (isOpen.has(bare(value))) continue
        const [first, last] = [folded.places[start] as number, folded.places[end] as number]
        parts.push(text.slice(from, first), placeholderOf(kind, value))
        from = last
      }
      return parts.join('') + text.slice(from)
    },
    found: () => [...placeholders.values()].map(({ placeholder, kind, times }) => ({ placeholder, kind, times })),
  }
}

/** Of two that find the same, the first says what it is: those by a word before it know it best. */
const findersOf = (text: string): Found[] =>
  [passports, births, emails, ibans, numbers, ipAddresses, secrets, addresses, names].flatMap(find => [...find(text)])

/** In their order, joined into one where two overlap: it is then what begins first, the longer, or what was found first. */
function apart(found: readonly Found[]): Found[] {
  const separate: Found[] = []
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = separate.at(-1)
    if (last && next.start < last.end) separate[separate.length - 1] = { ...last, end: Math.max(last.end, next.end) }
    else separate.push(next)
  }
  return separate
}

const bare = (value: string) => value.toLowerCase().replaceAll(/[^\p{L}\p{N}@]/gu, '')
