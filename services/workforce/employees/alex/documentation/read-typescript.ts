/** What a module of TypeScript or JavaScript exports, by the compiler's own parser. */
import type * as TypeScript from 'typescript'
import { type AssignedNames, readAssigned } from './commonjs.ts'
import { describe, parseDoc } from './jsdoc.ts'
import { typedefsIn } from './jsdoc-types.ts'
import { createLeftOut, type Entry, type Module, merged, short, Unreadable } from './reference.ts'
import { declarationsIn } from './typescript-declarations.ts'
import { implementationsIn } from './typescript-members.ts'
import { createTeller, definesType, exampleLanguage, type Teller, typescript } from './typescript-teller.ts'

export function readTypeScript(file: string, text: string): Module {
  const ts = typescript()
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  // The parser goes on behind an error; what it then says is not what is written.
  const [error] = (source as unknown as { parseDiagnostics: readonly TypeScript.Diagnostic[] }).parseDiagnostics
  if (error) throw new Unreadable(ts.flattenDiagnosticMessageText(error.messageText, ' '))
  const isTyped = /\.[cm]?tsx?$/i.test(file)
  const leftOut = createLeftOut()
  const teller = createTeller(source, leftOut.add)
  const types = isTyped ? [] : typedefsIn(source, teller)
  const entries = merged([...exportsOf(source.statements, teller, source.isDeclarationFile), ...types])
  const language = isTyped ? 'typescript' : 'javascript'
  return { file, language, description: headOf(source, text), entries, left_out: leftOut.all() }
}

/** `isAmbient`: what only describes, such as `x.d.ts`, exports all that it declares, unless it says what. */
function exportsOf(statements: readonly TypeScript.Statement[], teller: Teller, isAmbient: boolean): Entry[] {
  const ts = typescript()
  const isAll = isAmbient && !statements.some(node => ts.isExportDeclaration(node) || ts.isExportAssignment(node))
  const implementations = implementationsIn(statements)
  const assigned = readAssigned(statements, teller)
  const declared = statements.flatMap(statement =>
    implementations.has(statement)
      ? []
      : declarationsIn(statement, teller, inner => exportsOf(inner, teller, isAmbient || isDeclared(statement))).map(
          entry => ({
            entry: withAssigned(entry, assigned),
            statement,
          }),
        ),
  )
  const shown = new Set<Entry>()
  const show = <Known extends { readonly entry: Entry }>(known: readonly Known[]): readonly Known[] => {
    for (const { entry } of known) shown.add(entry)
    return known
  }
  const byName = Map.groupBy(declared, ({ entry }) => entry.name)
  const byStatement = Map.groupBy(declared, ({ statement }) => statement)
  const named = (name: string, as: string): Entry[] =>
    show(byName.get(name) ?? []).map(({ entry }) => ({ ...entry, name: as }))
  const found = statements.flatMap((statement): Entry[] => {
    if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier ? ` from ${teller.print(statement.moduleSpecifier)}` : ''
      const { exportClause } = statement
      if (!exportClause) return [teller.entry('re-export', `*${from}`, statement, `export *${from}`)]
      if (ts.isNamespaceExport(exportClause))
        return [teller.entry('re-export', exportClause.name.text, statement, teller.print(statement))]
      return exportClause.elements.flatMap(element => {
        const own = from === '' ? named((element.propertyName ?? element.name).text, element.name.text) : []
        const signature = `export ${statement.isTypeOnly || element.isTypeOnly ? 'type ' : ''}{ ${teller.print(element).replace(/^type /, '')} }${from}`
        return own.length > 0 ? own : [teller.entry('re-export', element.name.text, element, signature)]
      })
    }
    if (ts.isExportAssignment(statement)) {
      const { expression } = statement
      const own = ts.isIdentifier(expression) ? named(expression.text, 'default') : []
      return own.length > 0
        ? own
        : [teller.entry('default', 'default', statement, `export default ${short(teller.print(expression), 200)}`)]
    }
    const flags = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
    if (!isAll && !flags?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    const isDefault = flags?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
    return show(byStatement.get(statement) ?? []).map(({ entry }) =>
      isDefault ? { ...entry, name: 'default' } : entry,
    )
  })
  const all = merged([...found, ...assigned.exported(name => show(byName.get(name) ?? []).map(({ entry }) => entry))])
  for (const { entry } of declared)
    if (!shown.has(entry)) teller.leave('declarations that are not exported', entry.name)
  return all
}

function isDeclared(node: TypeScript.Statement): boolean {
  const ts = typescript()
  const flags = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined
  return flags?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) ?? false
}

/** A function or a class with what is assigned to it and to its prototype. */
const withAssigned = (entry: Entry, { membersOf }: AssignedNames): Entry => {
  const members = /^(?:function|class|constant)$/.test(entry.kind) ? membersOf(entry.name) : []
  return members.length === 0 ? entry : { ...entry, members: merged([...entry.members, ...members]) }
}

/** The comment at the top, where it is of the file and not of what follows. */
function headOf(source: TypeScript.SourceFile, text: string): string {
  const [, block = '', after = ''] = /^(?:#![^\n]*\n)?\s*(\/\*\*[\s\S]{0,20000}?\*\/)\s*([\s\S]{0,20})/.exec(text) ?? []
  if (block.length < 5) return ''
  const { text: said, tags } = parseDoc(block)
  const isFileTag = (tag: string) => /^(?:file|fileoverview|overview|module|packageDocumentation)$/.test(tag)
  const isOfFile = /^(?:import\b|\/\*\*|$)/.test(after) || tags.some(({ tag }) => isFileTag(tag))
  if (tags.some(definesType) || (!isOfFile && source.statements.length > 0)) return ''
  const heads = [said, ...tags.filter(({ tag }) => isFileTag(tag)).map(tag => tag.text)].filter(part => part !== '')
  const rest = { text: heads.join('\n\n'), tags: tags.filter(({ tag }) => !isFileTag(tag)) }
  return describe(rest, exampleLanguage(source.fileName))
}
