/** Any picture with text that the schema allows, in the sizes that are asked for, with texts that are hard to set. */
import fc from 'fast-check'
import type { Input } from '../result.ts'

const WORDS = [
  'a',
  'Wörter',
  'слово',
  'Ἑλλάς',
  'مرحبا بالعالم',
  'שלום',
  'नमस्ते',
  'น้ำ',
  '🚀👩‍👩‍👧',
  '漢字と仮名',
  '你好世界',
  '한국어',
  '<script>',
  'url(#x)',
  'Gewächshaustür',
  'Rindfleischetikettierung',
  'Donaudampfschiff'.repeat(8),
]

/** At most so many words, and no more letters than the schema allows. */
const said = (words: number, letters = 200) =>
  fc
    .array(fc.constantFrom(...WORDS, ' '), { maxLength: words })
    .map(all => [...all.join(' ')].slice(0, letters).join(''))

/** In half of the pictures texts are as short as most are: those have to be there whole. */
const texts = fc.boolean().chain(isShort =>
  fc.record({
    label: said(isShort ? 2 : 10),
    title: said(isShort ? 6 : 30, 1000).map(all => `T ${all}`),
    subtitle: said(isShort ? 8 : 30, 1000),
    footer: said(isShort ? 2 : 10),
  }),
)

/** Real ones cost six times the time of small ones, so every tenth is real. */
const size = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ width: fc.integer({ min: 320, max: 600 }), height: fc.integer({ min: 240, max: 600 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { width: 1200, height: 630 },
      { width: 1500, height: 500 },
      { width: 1200, height: 675 },
      { width: 1080, height: 1080 },
    ),
  },
)

const values = (count: number) =>
  fc.array(
    fc.oneof(
      fc.integer({ min: -100, max: 100 }),
      fc.constant(0),
      fc.double({ min: -1e15, max: 1e15, noNaN: true }),
      fc.double({ min: -1e-9, max: 1e-9, noNaN: true }),
    ),
    { minLength: count, maxLength: count },
  )

const chart = fc
  .record({
    labels: fc.oneof(
      fc.array(said(4), { minLength: 1, maxLength: 8 }),
      fc.array(said(2), { minLength: 9, maxLength: 60 }),
    ),
    count: fc.integer({ min: 1, max: 4 }),
    type: fc.constantFrom('bar', 'line'),
    unit: fc.option(said(4, 100), { nil: undefined }),
  })
  .chain(({ labels, count, type, unit }) =>
    fc
      .array(fc.record({ name: said(4), values: values(labels.length) }), { minLength: count, maxLength: count })
      .map(series => ({ type, labels, series, ...(unit !== undefined && { unit }) })),
  )

export const anyPicture: fc.Arbitrary<Input> = fc
  .record({
    picture: fc.constantFrom('social_card', 'banner', 'chart', 'chart'),
    texts,
    size,
    theme: fc.constantFrom('light', 'dark', 'brand'),
    base_color: fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`),
    chart,
  })
  .map(({ texts: words, size: sides, chart: numbers, picture, ...rest }) => ({
    picture,
    ...words,
    ...sides,
    ...rest,
    ...(picture === 'chart' && { chart: numbers }),
  }))

/** The same seed gives the same ones. */
export const picturesOf = (count: number, seed: number): Input[] => fc.sample(anyPicture, { numRuns: count, seed })
