/** What a brief wishes of a text that an engine of rules does not write by. */
import type { Brief } from '../brief.ts'

/** A warning for each, so that nobody takes for granted what was left out. What such an engine writes itself is English. */
export function unheeded({ tone, language, audience, constraints }: Brief): string[] {
  const given: readonly (readonly [string, boolean])[] = [
    ['tone', tone !== ''],
    ['language', language !== undefined && !/^en\b/i.test(language)],
    ['audience', audience !== undefined && audience !== ''],
    [
      'constraints',
      Object.values(constraints).some(value => (Array.isArray(value) ? value.length > 0 : value !== undefined)),
    ],
  ]
  return given.flatMap(([field, isGiven]) =>
    isGiven ? `\`${field}\` has no effect here: this kind of work is done by rules, and its text is in English.` : [],
  )
}
