/** What leads on: it leads nowhere here. */
import { box, type Part, said } from '../page/part.ts'
import type { StyleName } from '../page/sheet.ts'

export const action = (text: string, style: StyleName = 'button'): Part => said('a', style, text, { href: '#' })

export const actions = (
  all: readonly { readonly text: string; readonly quiet?: boolean }[] = [],
  style: 'actions' | 'actions-middle' = 'actions',
): Part | undefined =>
  all.length === 0
    ? undefined
    : box(
        'div',
        style,
        all.map(({ text, quiet = false }) => action(text, quiet ? 'button-quiet' : 'button')),
      )
