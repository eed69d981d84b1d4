/** What stands in an HTML file, as a browser reads it: by the parser of the standard. */
import { type DefaultTreeAdapterTypes, parse, html as standard } from 'parse5'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

export interface ReadPage {
  /** What a browser has to repair. https://html.spec.whatwg.org/multipage/parsing.html#parse-errors */
  readonly errors: number
  /** Script elements, handlers, and addresses that are script. */
  readonly scripts: number
  /** What would be asked of somebody else, or leads there. */
  readonly outside: number
  readonly repeatedIds: number
  readonly unnamedFields: number
  readonly landmarks: readonly string[]
  /** Of the headings, in their order. */
  readonly levels: readonly number[]
  /** What is written, and what stands in fields. */
  readonly texts: ReadonlySet<string>
}

export function readPage(html: string): ReadPage {
  let errors = 0
  // Of a typeface that is inside nothing is read but that it is.
  const own = html.replace(/(?<=;base64,)[\w+/=]+/g, '')
  const document = parse(own, { sourceCodeLocationInfo: true, onParseError: () => errors++ })
  const elements = document.childNodes.flatMap(elementsIn)
  errors += elements.filter(repaired).length
  const attributes = elements.flatMap(({ attrs }) => attrs)
  const styles = elements.filter(({ tagName }) => tagName === 'style').map(textOf)
  const ids = attributes.flatMap(({ name, value }) => (name === 'id' ? value : []))
  const named = new Set(attributes.flatMap(({ name, value }) => (name === 'for' ? value : [])))
  const fields = elements.filter(({ tagName }) => /^(?:input|select|textarea)$/.test(tagName))
  return {
    errors,
    scripts:
      elements.filter(({ tagName }) => /^(?:script|iframe|object|embed|base|foreignobject)$/i.test(tagName)).length +
      attributes.filter(({ name, value }) => /^on/i.test(name) || /^\s*javascript:/i.test(value)).length,
    outside:
      attributes.filter(({ name, value }) => LEADING.test(name) && !value.startsWith('#')).length +
      elements.filter(({ tagName }) => tagName === 'link').length +
      styles.flatMap(css => css.match(/@import|url\((?!data:)/gi) ?? []).length,
    repeatedIds: ids.length - new Set(ids).size,
    unnamedFields: fields.filter(field => !named.has(attributeOf(field, 'id'))).length,
    landmarks: elements.flatMap(({ tagName }) => (/^(?:header|nav|main|footer)$/.test(tagName) ? tagName : [])),
    levels: elements.flatMap(({ tagName }) => (/^h[1-6]$/.test(tagName) ? Number(tagName[1]) : [])),
    texts: new Set([
      ...elements.filter(({ tagName }) => tagName !== 'style').map(textOf),
      ...attributes.flatMap(({ name, value }) => (name === 'value' || name === 'placeholder' ? value : [])),
      // A field that has to be filled in is marked.
      ...elements.map(textOf).flatMap(text => (text.endsWith(' *') ? text.slice(0, -2) : [])),
    ]),
  }
}

/** The parser tells of faults in signs alone. Where elements are in disorder it begins or ends one that nobody has written. */
function repaired({ namespaceURI, tagName, sourceCodeLocation }: Element): boolean {
  if (namespaceURI !== standard.NS.HTML) return false
  const { startTag, endTag } = sourceCodeLocation ?? {}
  return tagName === 'input' || tagName === 'meta' ? !sourceCodeLocation : !startTag || !endTag
}

const LEADING = /^(?:href|src|srcset|action|formaction|poster|data|ping|cite|background|xlink:href)$/

const isElement = (node: Node): node is Element => 'tagName' in node

const elementsIn = (node: Node): Element[] => (isElement(node) ? [node, ...node.childNodes.flatMap(elementsIn)] : [])

const textOf = ({ childNodes }: Element): string =>
  childNodes.flatMap(node => (node.nodeName === '#text' && 'value' in node ? node.value : [])).join('')

const attributeOf = ({ attrs }: Element, wanted: string): string =>
  attrs.find(({ name }) => name === wanted)?.value ?? ''
