/** What the page wants of its reader, once more. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { Call } from '../result.ts'
import { action as leading } from './action.ts'
import type { Place } from './place.ts'

export function call({ title, text, action }: Call, { id, level, app }: Place): Part {
  const card = box('div', 'call', [
    said(`h${level}`, 'call-title', title, { id }),
    saidIf('p', 'call-said', text),
    action === undefined ? undefined : leading(action, 'button-turned'),
  ])
  return box('section', app ? 'bare' : 'band', [card], { 'aria-labelledby': id })
}
