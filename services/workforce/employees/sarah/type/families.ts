/** The typefaces that ship: all under the SIL Open Font License, each from its own npm package. */

export interface Family {
  readonly name: string
  readonly package: string
  /** In the order in which they are looked through. */
  readonly subsets: readonly string[]
  readonly fallback: 'sans-serif' | 'serif'
  /** All weights in one file. */
  readonly variable?: boolean
}

const family = (name: string, slug: string, subsets: string, fallback: Family['fallback'] = 'sans-serif'): Family => ({
  name,
  package: `@fontsource/${slug}`,
  subsets: subsets.split(' '),
  fallback,
})

export const FAMILIES = {
  inter: family('Inter', 'inter', 'latin latin-ext greek greek-ext cyrillic cyrillic-ext vietnamese'),
  manrope: family('Manrope', 'manrope', 'latin latin-ext greek cyrillic cyrillic-ext vietnamese'),
  grotesk: family('Space Grotesk', 'space-grotesk', 'latin latin-ext vietnamese'),
  fraunces: family('Fraunces', 'fraunces', 'latin latin-ext vietnamese', 'serif'),
} as const

export type FamilyId = keyof typeof FAMILIES

/** For what a family does not have, in this order. */
export const OTHERS: readonly Family[] = [
  FAMILIES.inter,
  family('Noto Sans Arabic', 'noto-sans-arabic', 'arabic'),
  family('Noto Sans Hebrew', 'noto-sans-hebrew', 'hebrew'),
  family('Noto Sans Devanagari', 'noto-sans-devanagari', 'devanagari'),
  family('Noto Sans Thai', 'noto-sans-thai', 'thai'),
  family('Noto Emoji', 'noto-emoji', 'emoji'),
]

const eastAsian = (name: string, slug: string): Family => ({
  name,
  package: `@fontsource-variable/${slug}`,
  subsets: Array.from({ length: 120 }, (_, at) => `[${at}]`),
  fallback: 'sans-serif',
  variable: true,
})

/** Chinese, Japanese and Korean: each in about a hundred files for all weights, of which a text needs a few. */
export const EAST_ASIAN = {
  chinese: eastAsian('Noto Sans SC', 'noto-sans-sc'),
  japanese: eastAsian('Noto Sans JP', 'noto-sans-jp'),
  korean: eastAsian('Noto Sans KR', 'noto-sans-kr'),
} as const

export type EastAsian = keyof typeof EAST_ASIAN

export type Weight = 400 | 500 | 600 | 700
