/** The texts of a picture as they can be drawn, and what was lost on the way. */
import type { Theme } from '../scene/theme.ts'
import { settable } from '../type/settable.ts'
import type { Input, Texts } from './result.ts'

const MOST = { label: 80, title: 300, subtitle: 600, footer: 80 } as const

export interface Cleaning {
  readonly texts: Texts
  /** Signs that no typeface here has. */
  readonly missing: ReadonlySet<string>
  /** Inputs that were too long. */
  readonly cut: ReadonlySet<string>
  /** A further text of the picture, `param` of the brief; what it lacks is told with the others. */
  readonly clean: (given: string, param: string, most: number) => string
}

/** Throws a `Refusal` for letters that can't be drawn. */
export function cleanTexts(input: Input, theme: Theme): Cleaning {
  const missing = new Set<string>()
  const cut = new Set<string>()
  const clean = (given: string, param: string, most: number, family = theme.body) => {
    const made = settable(given, param, { family, weight: 600 }, most)
    for (const sign of made.missing) missing.add(sign)
    if (made.cut) cut.add(param.replace('input.', ''))
    return made.text
  }
  const texts = Object.fromEntries(
    Object.entries(MOST).map(([name, most]) => [
      name,
      clean(input[name as keyof Texts] ?? '', `input.${name}`, most, name === 'title' ? theme.heading : theme.body),
    ]),
  ) as Texts
  return { texts, missing, cut, clean }
}

/** What somebody hears who does not see them; empty where there are none. */
export const readAloud = ({ label, title, subtitle, footer }: Texts): string =>
  [label, title, subtitle, footer]
    .filter(said => said !== '')
    .map(said => (/[.!?…。]$/u.test(said) ? said : `${said}.`))
    .join(' ')

/** What a reader should know of texts that are not all there. */
export const lossesOf = (cut: readonly string[], missing: ReadonlySet<string>): string[] => [
  ...(cut.length > 0 ? [`Not all of this had room, and it ends in an ellipsis: ${cut.join(', ')}.`] : []),
  ...(missing.size > 0
    ? [`Left out, or set without their marks, since no typeface here has them: ${[...missing].slice(0, 20).join(' ')}`]
    : []),
]
