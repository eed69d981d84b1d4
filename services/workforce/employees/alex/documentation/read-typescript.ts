/** What a module of TypeScript or JavaScript exports, by the compiler's own parser. */
import type * as TypeScript from 'typescript'
import { type Entry, type Module, merged, short, Unreadable } from './reference.ts'
import { membersOf } from './typescript-members.ts'
import { createTeller, kept, type Teller, typescript } from './typescript-teller.ts'

export function readTypeScript(file: string, text: string): Module {
  const ts = typescript()
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  // The parser goes on behind an error; what it then says is not what is written.
  const [error] = (source as unknown as { parseDiagnostics: readonly TypeScript.Diagnostic[] }).parseDiagnostics
  if (error) throw new Unreadable(ts.flattenDiagnosticMessageText(error.messageText, ' '))
  const isTyped = /\.[cm]?tsx?$/i.test(file)
  const entries = exportsOf(source.statements, createTeller(source))
  return { file, language: isTyped ? 'typescript' : 'javascript', description: headOf(source, text), entries }
}

function exportsOf(statements: readonly TypeScript.Statement[], teller: Teller): Entry[] {
  const ts = typescript()
  const declared = statements.flatMap(statement =>
    declarationsIn(statement, teller).map(entry => ({ entry, statement })),
  )
  const byName = Map.groupBy(declared, ({ entry }) => entry.name)
  const byStatement = Map.groupBy(declared, ({ statement }) => statement)
  const named = (name: string, as: string): Entry[] =>
    (byName.get(name) ?? []).map(({ entry }) => ({ ...entry, name: as }))
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
    if (ts.isExpressionStatement(statement)) return commonJs(statement.expression, teller)
    const flags = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
    if (!flags?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    const isDefault = flags.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
    return (byStatement.get(statement) ?? []).map(({ entry }) => (isDefault ? { ...entry, name: 'default' } : entry))
  })
  return merged(found)
}

function declarationsIn(node: TypeScript.Statement, teller: Teller): Entry[] {
  const ts = typescript()
  const { entry, print, head } = teller
  const { factory } = ts
  if (ts.isFunctionDeclaration(node)) {
    const { asteriskToken, name, typeParameters, parameters, type } = node
    const bare = factory.createFunctionDeclaration(
      kept(node),
      asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      undefined,
    )
    return [entry('function', name?.text ?? 'default', node, head(node, bare, node.body?.pos ?? node.end))]
  }
  if (ts.isClassDeclaration(node)) {
    const bare = factory.createClassDeclaration(kept(node), node.name, node.typeParameters, node.heritageClauses, [])
    return [
      entry(
        'class',
        node.name?.text ?? 'default',
        node,
        short(head(node, bare, node.members.pos)).replace(/ \{ ?\}$/, ''),
        membersOf(node.members, teller),
      ),
    ]
  }
  if (ts.isInterfaceDeclaration(node)) {
    const bare = factory.createInterfaceDeclaration(
      kept(node),
      node.name,
      node.typeParameters,
      node.heritageClauses,
      [],
    )
    return [
      entry(
        'interface',
        node.name.text,
        node,
        short(head(node, bare, node.members.pos)).replace(/ \{ ?\}$/, ''),
        membersOf(node.members, teller),
      ),
    ]
  }
  if (ts.isTypeAliasDeclaration(node)) {
    const bare = factory.createTypeAliasDeclaration(kept(node), node.name, node.typeParameters, node.type)
    return [entry('type', node.name.text, node, head(node, bare, node.end))]
  }
  if (ts.isEnumDeclaration(node)) {
    const members = node.members.map(member => entry('member', print(member.name), member, print(member)))
    return [
      entry(
        'enum',
        node.name.text,
        node,
        `${kept(node).some(({ kind }) => kind === ts.SyntaxKind.ConstKeyword) ? 'const ' : ''}enum ${node.name.text}`,
        members,
      ),
    ]
  }
  if (ts.isModuleDeclaration(node)) {
    const members = node.body && ts.isModuleBlock(node.body) ? exportsOf(node.body.statements, teller) : []
    return [entry('namespace', node.name.text, node, `namespace ${node.name.text}`, members)]
  }
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.flatMap(declaration => variable(node, declaration, teller))
  return []
}

function variable(
  statement: TypeScript.VariableStatement,
  declaration: TypeScript.VariableDeclaration,
  { entry, print }: Teller,
): Entry[] {
  const ts = typescript()
  const { name, type, initializer } = declaration
  const word =
    statement.declarationList.flags & ts.NodeFlags.Const
      ? 'const'
      : statement.declarationList.flags & ts.NodeFlags.Let
        ? 'let'
        : 'var'
  if (!ts.isIdentifier(name)) return namesIn(name).map(each => entry('constant', each, statement, `${word} ${each}`))
  if (type) return [entry('constant', name.text, statement, `${word} ${name.text}: ${print(type)}`)]
  if (initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))) {
    const isAsync = initializer.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ? 'async ' : ''
    const generics = initializer.typeParameters ? `<${initializer.typeParameters.map(print).join(', ')}>` : ''
    const result = initializer.type ? `: ${print(initializer.type)}` : ''
    const signature = `${word} ${name.text} = ${isAsync}${generics}(${initializer.parameters.map(print).join(', ')})${result} => …`
    return [entry('function', name.text, statement, signature)]
  }
  return [
    entry(
      'constant',
      name.text,
      statement,
      `${word} ${name.text}${initializer ? ` = ${short(print(initializer), 120)}` : ''}`,
    ),
  ]
}

const namesIn = (pattern: TypeScript.BindingPattern): string[] =>
  pattern.elements.flatMap(element => {
    const ts = typescript()
    if (ts.isOmittedExpression(element)) return []
    return ts.isIdentifier(element.name) ? [element.name.text] : namesIn(element.name)
  })

/** `module.exports = …`, `exports.a = …`. */
function commonJs(expression: TypeScript.Expression, { entry, print }: Teller): Entry[] {
  const ts = typescript()
  if (!ts.isBinaryExpression(expression) || expression.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return []
  const [, name] = /^(?:module\.)?exports\.([\w$]+)$/.exec(print(expression.left)) ?? []
  const value = short(print(expression.right), 120)
  if (name !== undefined) return [entry('export', name, expression.parent, `exports.${name} = ${value}`)]
  if (print(expression.left) !== 'module.exports') return []
  const parts = ts.isObjectLiteralExpression(expression.right) ? expression.right.properties : []
  const names = parts.flatMap(part =>
    part.name ? entry('export', print(part.name), part, `exports.${short(print(part), 120)}`) : [],
  )
  return names.length > 0 ? names : [entry('export', 'module.exports', expression.parent, `module.exports = ${value}`)]
}

/** The comment at the top, where it is of the file and not of what follows. */
function headOf(source: TypeScript.SourceFile, text: string): string {
  const [, comment = '', after = ''] =
    /^(?:#![^\n]*\n)?\s*\/\*\*([\s\S]{0,5000}?)\*\/\s*([\s\S]{0,20})/.exec(text) ?? []
  const isOfFile = /^(?:import\b|\/\*\*|$)/.test(after) || /@(?:file|module|packageDocumentation)/.test(comment)
  const isAll = source.statements.length === 0
  return isOfFile || isAll
    ? comment
        .replaceAll(/^[ \t]*\* ?/gm, '')
        .replaceAll(/@(?:fileoverview|file|module|packageDocumentation)\b ?/g, '')
        .trim()
    : ''
}
