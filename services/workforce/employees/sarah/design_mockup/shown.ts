/** A description of a page with every text as it can be shown. */
import { Refusal } from '../../src/brief.ts'
import { settable } from '../type/settable.ts'
import type { Field, Input } from './result.ts'

/** The most characters of one text; the schema allows no more. */
const MOST = 4000

export interface Shown {
  readonly input: Input
  /** Signs that no typeface here has. */
  readonly missing: readonly string[]
  /** What has no effect where it stands, by its name. */
  readonly idle: readonly string[]
}

/** Refuses letters that can't be set, texts that show nothing, and numbers that don't fit their labels. */
export function shownAs(given: Input): Shown {
  const missing = new Set<string>()
  const clean = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') {
      const { text, missing: more, blank } = settable(value, path, { family: 'inter', weight: 400 }, MOST)
      for (const sign of more) missing.add(sign)
      if (blank && !mayBeEmpty.test(path))
        throw new Refusal(path, 'Nothing of this text can be seen. Leave it out, or write something.')
      return text
    }
    if (Array.isArray(value)) return value.map((each, at) => clean(each, `${path}[${at}]`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clean(each, `${path}.${key}`)]))
  }
  const input = clean(given, 'input') as Input
  for (const [at, { chart, table }] of input.blocks.entries()) {
    for (const [of, { values }] of (chart?.series ?? []).entries())
      same(`input.blocks[${at}].chart.series[${of}].values`, values, chart?.labels ?? [], 'labels')
    for (const [of, row] of (table?.rows ?? []).entries())
      same(`input.blocks[${at}].table.rows[${of}]`, row, table?.columns ?? [], 'columns')
  }
  const idle: string[] = []
  const blocks = input.blocks.map((block, at) => {
    if (!block.form) return block
    const fields = block.form.fields.map((field, of) => {
      const { kept, left } = heeded(field)
      idle.push(...left.map(name => `input.blocks[${at}].form.fields[${of}].${name}`))
      return kept
    })
    return { form: { ...block.form, fields } }
  })
  return { input: { ...input, blocks }, missing: [...missing], idle }
}

/** What a field of its type shows. A password is nobody's to read. */
function heeded({ type = 'text', ...field }: Field): { kept: Field; left: string[] } {
  const { label, help, required, ...rest } = field
  const all = Object.entries({ ...rest, ...(type === 'password' && rest.value !== undefined && { value: DOTS }) })
  const shown = all.filter(
    ([name]) =>
      SHOWN[type].includes(name) && !(type === 'select' && name === 'placeholder' && rest.value !== undefined),
  )
  const kept = {
    label,
    type,
    ...(help !== undefined && { help }),
    ...(required && { required }),
    ...Object.fromEntries(shown),
  }
  return { kept, left: all.flatMap(([name]) => (name in kept ? [] : name)) }
}

const DOTS = '••••••••'
const WRITTEN = ['value', 'placeholder']
const SHOWN: Readonly<Record<NonNullable<Field['type']>, readonly string[]>> = {
  text: WRITTEN,
  email: WRITTEN,
  password: WRITTEN,
  number: WRITTEN,
  date: WRITTEN,
  textarea: WRITTEN,
  select: [...WRITTEN, 'options'],
  radio: ['value', 'options'],
  checkbox: ['on'],
  switch: ['on'],
}

/** A cell of a table may say nothing. */
const mayBeEmpty = /\.rows\[\d+\]\[\d+\]$/

function same(param: string, values: readonly unknown[], wanted: readonly string[], what: string): void {
  if (values.length !== wanted.length)
    throw new Refusal(param, `There are ${wanted.length} ${what}: as many values are needed.`)
}
