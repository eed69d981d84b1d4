/** Where a brand goes: colour, typefaces and kind of mark, by its keywords, and by the seed where those say nothing. */
import { createHash } from 'node:crypto'
import type { FamilyId } from '../type/families.ts'
import { colourNamed, hexOf, lch } from './colour.ts'

interface Input {
  readonly name: string
  readonly keywords?: readonly string[]
  readonly base_color?: string
}

/** What the words and the seed chose. */
export interface Direction {
  readonly chroma: number
  readonly hue: number
  readonly exact: string | undefined
  readonly heading: FamilyId
  readonly body: FamilyId
  readonly ratio: number
  readonly mark: 'petals' | 'tiles' | 'bars' | 'monogram'
  readonly why: string
  readonly whyMark: string
}

interface Trait {
  /** Whole words; a last `*` stands for the endings that English gives to many. */
  readonly words: string
  readonly hue: number
  readonly heading: FamilyId
  readonly mark: Direction['mark']
}

/** What designers commonly answer such words with: a custom, not a fact. */
const TRAITS: readonly Trait[] = [
  {
    words: 'garden* plant* nature natural eco ecology ecological green greenhouse* forest* organic farm* leaf leaves',
    hue: 150,
    heading: 'fraunces',
    mark: 'petals',
  },
  {
    words: 'food* bake* baking bakery bakeries coffee kitchen* cook* restaurant* craft* wood wooden woodwork*',
    hue: 50,
    heading: 'fraunces',
    mark: 'petals',
  },
  {
    words: 'beauty beautiful luxury luxurious fashion fashionable wedding* flower* floral love',
    hue: 350,
    heading: 'fraunces',
    mark: 'petals',
  },
  {
    words:
      'tech technology technical software data database* code coding coder* cloud* robot* robotics engineer* develop* development',
    hue: 265,
    heading: 'grotesk',
    mark: 'tiles',
  },
  {
    words:
      'finance* financial fintech bank* insurance law laws lawyer* legal consult* consultant* invest* investment* growth',
    hue: 250,
    heading: 'manrope',
    mark: 'bars',
  },
  {
    words: 'health healthy healthcare medical medicine care caring clinic* water* ocean* calm',
    hue: 200,
    heading: 'manrope',
    mark: 'petals',
  },
  {
    words: 'music musical musician* art arts artist* artwork* game* gaming play* playful child children fun festival*',
    hue: 310,
    heading: 'grotesk',
    mark: 'tiles',
  },
  { words: 'sport* energy fire* fireplace* speed news', hue: 30, heading: 'grotesk', mark: 'bars' },
]

/** Whether a keyword has one of the words: "art" is not in "smart", nor "law" in "lawn". */
function says(keyword: string, { words }: Trait): boolean {
  const said = keyword.toLowerCase().match(/\p{L}+/gu) ?? []
  return words
    .split(' ')
    .some(word => said.some(one => (word.endsWith('*') ? forms(word.slice(0, -1)) : [word]).includes(one)))
}

const forms = (word: string) => ['', 's', 'es', 'ed', 'er', 'ers', 'ing'].map(ending => word + ending)

const HEADINGS: readonly FamilyId[] = ['fraunces', 'grotesk', 'manrope', 'inter']
const MARKS = ['petals', 'tiles', 'bars', 'monogram'] as const

/** Chroma and hue are of OKLCH, the hue in degrees; `ratio` is of a type step over the one below. Throws a `Refusal` for what is no colour. */
export function directionOf({ name, keywords = [], base_color }: Input, seed: number): Direction {
  const chance = chances(`${name}\n${seed}`)
  const found = keywords.flatMap(keyword => {
    const trait = TRAITS.find(candidate => says(keyword, candidate))
    return trait ? { keyword, trait } : []
  })[0]
  const named = base_color === undefined ? undefined : colourNamed(base_color, 'input.base_color')
  const wheel = found ? found.trait.hue + 24 * (chance(0) - 0.5) : 360 * chance(0)
  const hue = named ? named.h : (wheel + 360) % 360
  const heading = found?.trait.heading ?? pick(HEADINGS, chance(1))
  const mark = chance(2) < 0.6 && found ? found.trait.mark : pick(MARKS, chance(3))
  return {
    chroma: named ? named.c : 0.13 + 0.05 * chance(4),
    hue,
    exact: named && hexOf(named.l, named.c, named.h),
    heading,
    body: heading === 'manrope' ? 'manrope' : 'inter',
    ratio: pick([1.2, 1.25, 1.25, 1.333], chance(5)),
    mark,
    why: named ? 'The base colour given.' : found ? 'A colour customary for a keyword given.' : 'By the seed.',
    whyMark: found?.trait.mark === mark ? 'A shape customary for a keyword given.' : 'By the seed.',
  }
}

/** Numbers from 0 to below 1 that a text decides, each on its own. */
export function chances(text: string): (at: number) => number {
  return at => createHash('sha256').update(`${at}\n${text}`).digest().readUInt32BE() / 2 ** 32
}

const pick = <T>(all: readonly T[], chance: number): T => all[Math.floor(chance * all.length)] ?? (all[0] as T)

/** How a colour is written in OKLCH. */
export function oklchOf(hex: string): string {
  const { l, c, h } = lch(hex)
  return `oklch(${l.toFixed(4)} ${c.toFixed(4)} ${h.toFixed(2)})`
}
