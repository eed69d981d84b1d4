/** The types that comments of JavaScript define: `@typedef` and `@callback`. */
import type * as TypeScript from 'typescript'
import { type DocTag, declared, describe, parseDoc } from './jsdoc.ts'
import { type Entry, short } from './reference.ts'
import { exampleLanguage, type Teller } from './typescript-teller.ts'

/** Of every comment that stands before a statement or at the end of the file. */
export function typedefsIn(source: TypeScript.SourceFile, { leave }: Teller): Entry[] {
  return [...source.statements, source.endOfFileToken].flatMap(node =>
    // The compiler's own function for them has the last one only.
    ((node as { jsDoc?: readonly TypeScript.JSDoc[] }).jsDoc ?? []).flatMap(block => {
      const line = source.getLineAndCharacterOfPosition(block.pos).line + 1
      return typesIn(block.getText(source), line, exampleLanguage(source.fileName), leave)
    }),
  )
}

function typesIn(block: string, line: number, language: string, leave: Teller['leave']): Entry[] {
  const { text, tags } = parseDoc(block)
  const first = tags.findIndex(isDefinition)
  if (first === -1) return []
  const before = tags.slice(0, first)
  const entries: Entry[] = []
  for (let at = first; at < tags.length; ) {
    const definition = tags[at] as DocTag
    const next = tags.findIndex((tag, other) => other > at && isDefinition(tag))
    const own = tags.slice(at + 1, next === -1 ? undefined : next)
    at = next === -1 ? tags.length : next
    if (definition.subject === '') leave('type definitions without a name', definition.type)
    else entries.push(typeEntry(definition, text, at === first ? own : [...before, ...own], line, language))
  }
  return entries
}

const isDefinition = ({ tag }: DocTag) => tag === 'typedef' || tag === 'callback'

function typeEntry(definition: DocTag, text: string, own: readonly DocTag[], line: number, language: string): Entry {
  const { subject, type } = definition
  const isMember = ({ tag }: DocTag) => definition.tag === 'typedef' && /^prop(?:erty)?$/.test(tag)
  const names = own.filter(({ tag }) => tag === 'template').map(tag => tag.subject)
  const generics = names.length === 0 ? '' : `<${names.join(', ')}>`
  const value = definition.tag === 'callback' ? callbackOf(own) : type
  const said = [text, definition.text].filter(part => part !== '').join('\n\n')
  return {
    kind: 'type',
    name: subject,
    signature: `type ${subject}${generics}${value === '' ? '' : ` = ${value}`}`,
    line,
    description: describe({ text: said, tags: own.filter(tag => !isMember(tag)) }, language),
    members: own.filter(isMember).map(tag => ({
      kind: 'property',
      name: tag.subject,
      signature: short(declared(tag)),
      line,
      description: tag.text,
      members: [],
    })),
  }
}

function callbackOf(tags: readonly DocTag[]): string {
  const parameters = tags.filter(({ tag, subject }) => /^(?:param|arg|argument)$/.test(tag) && !subject.includes('.'))
  const result = tags.find(({ tag }) => /^returns?$/.test(tag))?.type
  return `(${parameters.map(declared).join(', ')}) => ${result || 'void'}`
}
