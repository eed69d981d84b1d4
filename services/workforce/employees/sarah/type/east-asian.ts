/** Which parts of the typefaces of Chinese, Japanese and Korean a text needs: they are unpacked before it is set. */
import { isUnpacked, partsWith, unpack } from './faces.ts'
import { EAST_ASIAN, type EastAsian } from './families.ts'

/** To be waited for before the texts in `value` are set: a sign of what is not unpacked counts as missing. */
export async function unpackFor(value: unknown): Promise<void> {
  for (const text of textsIn(value)) {
    const first = EAST_ASIAN[eastAsianOf(text)]
    const families = [first, ...Object.values(EAST_ASIAN).filter(family => family !== first)]
    for (const sign of new Set(text.normalize('NFC').match(WRITTEN))) {
      const point = sign.codePointAt(0) ?? 0
      // In the first of the three that has it.
      const family = families.find(each => partsWith(each, point).length > 0)
      if (!family) continue
      for (const subset of partsWith(family, point)) if (!isUnpacked(family, subset)) await unpack(family, subset)
    }
  }
}

/** Whose shapes the signs of a text have that all three write. */
export function eastAsianOf(text: string): EastAsian {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'japanese'
  return /\p{Script=Hangul}/u.test(text) ? 'korean' : 'chinese'
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Signs of the three, their marks, and their wide forms of others. */
const WRITTEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\u30fb-\u30ff\ufe30-\ufe4f\uff00-\uffef]/gu
