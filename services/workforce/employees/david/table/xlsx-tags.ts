/** Tags of a part of a workbook. */

export interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
}

/**
 * The tags with one of these names, whatever stands before a colon in it. `undefined` for one that XML does not allow, or that has an
 * attribute twice: other readers may take it for something else. A `<` begins a tag wherever it stands, so none is hidden in quotes.
 */
export function* tagsIn(text: string, names: readonly string[]): Generator<Tag | undefined> {
  const begins = new RegExp(`<(?:[^\\s<>/:"'=]*:)?(${names.join('|')})(?![^\\s/>])`, 'g')
  for (const { 0: begin, 1: name = '', index } of text.matchAll(begins)) {
    ATTRIBUTES.lastIndex = index + begin.length
    const [, written] = ATTRIBUTES.exec(text) ?? []
    yield written === undefined ? undefined : tagOf(name, written)
  }
}

/** Up to the end of the tag. In quotes everything but `<` may stand, and `>` too. */
const ATTRIBUTES = /((?:\s+[^\s<>/"'=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/y
const ATTRIBUTE = /([^\s<>/"'=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

function tagOf(name: string, written: string): Tag | undefined {
  const attributes = new Map<string, string>()
  for (const [, attribute = '', double, single] of written.matchAll(ATTRIBUTE)) {
    if (attributes.has(attribute)) return undefined
    attributes.set(attribute, double ?? single ?? '')
  }
  return { name, attributes }
}
