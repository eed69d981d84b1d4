/** JSON-LD: whether it is JSON, says what it is, and has what its type needs. RDFa is not read. */
import { named, type Page, type PageElement } from '../page/page.ts'
import { createPlaces } from '../page/place.ts'
import { changed, type Fault, type Judged, shortened } from './fault.ts'
import { forms, lackingOf, recommended, required, stubOf, typeOf } from './structured-types.ts'

/** An object with a type, and where it begins. */
export interface Item {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly missing: readonly string[]
}

interface Script {
  readonly element: PageElement
  readonly value: unknown
  readonly error?: string
}

/** Objects of all scripts together that are looked at. */
const MOST_ITEMS = 1_000

export function itemsOf(page: Page): readonly Item[] {
  return scriptsOf(page)
    .flatMap(({ element, value }) => itemsIn(page, element, value))
    .slice(0, MOST_ITEMS)
}

export function judgeStructuredData({ page }: Judged): Fault[] {
  const scripts = scriptsOf(page)
  return [...scripts.flatMap(unreadable), ...scripts.flatMap(untyped), ...itemsOf(page).flatMap(judgeItem)]

  function unreadable({ element, error }: Script): Fault[] {
    if (error === undefined) return []
    const message = `The structured data is no JSON: ${error}.`
    return [changed(page, 'data_unreadable', element, message, `[the same, mended: ${error}]`)]
  }

  function untyped({ element, value, error }: Script): Fault[] {
    if (error !== undefined) return []
    const tops = Array.isArray(value) ? value : [value]
    const isContextual = tops.length > 0 && tops.every(top => isObject(top) && isSchemaOrg(top['@context']))
    const isTyped = tops.every(top => isObject(top) && ('@graph' in top || typesOf(top).length > 0))
    if (isContextual && isTyped) return []
    const lacks = isContextual ? '@type' : '@context'
    const asked = isContextual ? '"@type": "[what it is, such as Article]"' : '"@context": "https://schema.org"'
    const after = page.raw
      .slice(element.start, Math.min(element.end, element.start + 900))
      .replace('{', () => `{ ${asked},`)
    return [changed(page, 'data_untyped', element, `The structured data has no ${lacks} that is known.`, after)]
  }

  function judgeItem(item: Item): Fault[] {
    const { type, fields, missing } = item
    const without = lackingOf(recommended, type, name => hasValue(fields, name))
    const line = (name: string, asked: string) =>
      `"@type": "${type}", "${name}": ${JSON.stringify(stubOf(name, asked))}`
    const invalid = Object.entries(forms).flatMap(([name, { is, asked }]) => {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (value === undefined || is(value)) return []
      const shown = shortened(printed(value, LONGEST_VALUE), LONGEST_VALUE)
      const message = `In ${type}, ${name} is ${shown}; asked for is ${asked}.`
      return [changed(page, 'data_invalid', item, message, line(name, asked))]
    })
    return [
      ...missing.map(name => {
        const [one = name] = name.split('|')
        const message = `${type} lacks ${name.replaceAll('|', ' or ')}, which is required.`
        return changed(page, 'data_incomplete', item, message, line(one, `${one} of this ${type}`))
      }),
      ...without.map(name => {
        const message = `${type} lacks ${name}, which is recommended.`
        return changed(page, 'data_sparse', item, message, line(name, `${name} of this ${type}`))
      }),
      ...invalid,
    ]
  }
}

/** Of a value that is shown. */
const LONGEST_VALUE = 80

function scriptsOf(page: Page): Script[] {
  const placeIn = createPlaces('', page.raw)
  const lineAt = (offset: number) => placeIn(offset, offset + 1).line
  return named(page, 'script')
    .filter(({ attributes }) => /^application\/ld\+json\b/i.test(attributes.get('type')?.trim() ?? ''))
    .map(element => {
      try {
        return { element, value: JSON.parse(element.text) }
      } catch (error) {
        return { element, value: undefined, error: reasonOf(error, element, page, lineAt) }
      }
    })
}

/** The reason without the text that V8 quotes, with the line of the page. */
function reasonOf(
  error: unknown,
  { tagEnd, text }: PageElement,
  page: Page,
  lineAt: (offset: number) => number,
): string {
  if (text.trim() === '') return 'it is empty'
  const at = /position (\d{1,9})/.exec(String(error))?.[1]
  if (at === undefined) return 'it ends too early, or has a sign that does not belong there'
  const offset = tagEnd + Number(at)
  const near = JSON.stringify(page.raw.slice(offset, offset + 1))
  return `at ${near} in line ${lineAt(offset)} it goes on in a way that JSON does not`
}

function itemsIn(page: Page, { start, end, tagEnd }: PageElement, value: unknown): Item[] {
  const found: { type: string; fields: Record<string, unknown> }[] = []
  const left: unknown[] = [value]
  while (left.length > 0 && found.length < MOST_ITEMS) {
    const one = left.pop()
    if (Array.isArray(one)) for (let at = Math.min(one.length, MOST_ITEMS) - 1; at >= 0; at--) left.push(one[at])
    if (!isObject(one)) continue
    const [type] = typesOf(one)
    if (type !== undefined) found.push({ type, fields: one })
    left.push(
      ...Object.values(one)
        .slice(0, MOST_ITEMS)
        .filter(inner => typeof inner === 'object')
        .toReversed(),
    )
  }
  const text = page.raw.slice(tagEnd, end)
  const places = new Map<string, number>()
  return found.map(({ type, fields }) => {
    const from = places.get(type) ?? 0
    const at = placeOf(text, type, from)
    if (at) places.set(type, at.end)
    const missing = lackingOf(required, type, name => hasValue(fields, name))
    return { type, fields, missing, ...(at ? { start: tagEnd + at.start, end: tagEnd + at.end } : { start, end }) }
  })
}

/** Where `"@type": "…"` of a type stands next. */
function placeOf(text: string, type: string, from: number): { start: number; end: number } | undefined {
  for (let at = text.indexOf('"@type"', from); at !== -1; at = text.indexOf('"@type"', at + 1)) {
    const rest = text.slice(at, at + type.length + 60)
    const quoted = rest.indexOf(`"${type}"`)
    if (quoted !== -1 && /^"@type"\s*:\s*\[?\s*$/.test(rest.slice(0, quoted)))
      return { start: at, end: at + quoted + type.length + 2 }
  }
  return undefined
}

/** The names of its types, without an address before them. */
function typesOf(object: Record<string, unknown>): string[] {
  const type = Object.hasOwn(object, '@type') ? object['@type'] : undefined
  return (Array.isArray(type) ? type : [type])
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map(typeOf)
}

function hasValue(fields: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (typeof value === 'string') return value.trim() !== ''
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null
}

const isSchemaOrg = (context: unknown): boolean =>
  (Array.isArray(context) ? context : [context]).some(
    one => (typeof one === 'string' && /schema\.org/i.test(one)) || (isObject(one) && Object.hasOwn(one, '@vocab')),
  )

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values within each other that are written; what is deeper is an ellipsis. */
const DEEPEST = 3

/** A value of a page's JSON as JSON, about as long as allowed: of a foreign value neither the depth nor the length is known. */
function printed(value: unknown, longest: number, depth = DEEPEST): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, longest))
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth === 0) return '…'
  const isList = Array.isArray(value)
  const names = isList ? value.keys() : Object.keys(value)
  const parts: string[] = []
  let room = longest
  for (const name of names) {
    if (room < 0) break
    const inner = printed((value as Record<PropertyKey, unknown>)[name], room, depth - 1)
    const part = isList ? inner : `${JSON.stringify(String(name).slice(0, room))}:${inner}`
    parts.push(part)
    room -= part.length
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}
