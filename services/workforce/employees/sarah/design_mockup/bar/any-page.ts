/** Any description of a page that the schema allows, with texts that are hard to set. */
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
  'น้ำใจ',
  '🚀👩‍👩‍👧',
  '漢字と仮名、',
  '你好世界',
  '한국어',
  '<script>',
  '"><b onclick=x>',
  '</style>',
  '&amp;',
  'url(#x)',
  'Donaudampfschiff'.repeat(6),
]

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
}

/** How much stands on a page: the most of its lists, and words of a text. */
interface Length {
  readonly blocks: readonly [number, number]
  readonly items: number
  readonly words: number
}

const SHORT: Length = { blocks: [1, 2], items: 2, words: 4 }
/** Lists of up to a dozen, and paragraphs. */
const LONG: Length = { blocks: [6, 10], items: 12, words: 30 }

/** One page of a hundred is long: it takes some two seconds. */
export const anyPage = (schema: Schema): fc.Arbitrary<Input> =>
  fc.oneof({ weight: 99, arbitrary: pageOf(schema, SHORT) }, { weight: 1, arbitrary: pageOf(schema, LONG) })

function pageOf({ properties = {} }: Schema, length: Length): fc.Arbitrary<Input> {
  const any = (schema: Schema) => fieldOf(schema, length)
  const blocks = properties.blocks?.items?.properties ?? {}
  const block = fc.oneof(...Object.entries(blocks).map(([name, schema]) => fc.record({ [name]: any(schema) })))
  return fc
    .record(
      {
        title: any({ type: 'string', maxLength: 200, minLength: 1 }),
        layout: fc.constantFrom('page', 'app'),
        brand: any({ type: 'string', maxLength: 80, minLength: 1 }),
        navigation: any(properties.navigation ?? {}),
        blocks: fc.array(block, { minLength: length.blocks[0], maxLength: length.blocks[1] }),
        footer: any(properties.footer ?? {}),
        theme: fc.constantFrom('light', 'dark'),
        base_color: fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`),
        viewports: fc.constantFrom('desktop', 'tablet', 'mobile').map(viewport => [viewport]),
      },
      { requiredKeys: ['title', 'layout', 'blocks', 'theme', 'base_color', 'viewports'] },
    )
    .map(input => ({ ...input, blocks: (input.blocks as Input['blocks']).map(whole) }) as Input)
}

function fieldOf(schema: Schema, length: Length): fc.Arbitrary<unknown> {
  const any = (inner: Schema) => fieldOf(inner, length)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'string':
      return fc
        .array(fc.constantFrom(...WORDS), { minLength: schema.minLength ?? 0, maxLength: length.words })
        .map(words => [...words.join(' ')].slice(0, schema.maxLength).join('').toWellFormed())
    case 'boolean':
      return fc.boolean()
    case 'number':
      return fc.double({ min: -1e15, max: 1e15, noNaN: true })
    case 'array':
      return fc.array(any(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(length.items, schema.maxItems ?? length.items),
      })
    default: {
      const inner = Object.entries(schema.properties ?? {}).map(([name, of]) => [name, any(of)] as const)
      return fc.record(Object.fromEntries(inner), { requiredKeys: [...(schema.required ?? [])] })
    }
  }
}

/** As many values as labels, as many cells as columns. */
function whole(block: Input['blocks'][number]): Input['blocks'][number] {
  const { chart, table } = block
  const filled = <T>(values: readonly T[], count: number, rest: T) =>
    Array.from({ length: count }, (_, at) => values[at] ?? rest)
  if (chart)
    return {
      chart: {
        ...chart,
        series: chart.series.map(each => ({ ...each, values: filled(each.values, chart.labels.length, 0) })),
      },
    }
  if (table) return { table: { ...table, rows: table.rows.map(row => filled(row, table.columns.length, '')) } }
  return block
}
