/** The name that was meant where one is misspelt. */
import { editsBetween } from '@millhand/api/nearest'

/** The only name of the text that is one slip away, at most two in long ones; undefined where there is none, or several are as near. */
export function nearestName(wrong: string, text: string): string | undefined {
  const most = wrong.length > 5 ? 2 : 1
  const names = new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{1,60}/gu) ?? [])
  names.delete(wrong)
  const near = [...names]
    .filter(name => Math.abs(name.length - wrong.length) <= most)
    .map(name => ({ name, slips: editsBetween(wrong, name) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips)
  const [first, second] = near
  return first && first.slips !== second?.slips ? first.name : undefined
}
