/** What a statement of TypeScript or JavaScript declares. */
import type * as TypeScript from 'typescript'
import { type Entry, short } from './reference.ts'
import { membersOf } from './typescript-members.ts'
import { kept, type Teller, typescript } from './typescript-teller.ts'

/** `inside` tells what a namespace exports. */
export function declarationsIn(
  node: TypeScript.Statement,
  teller: Teller,
  inside: (statements: readonly TypeScript.Statement[]) => Entry[] = () => [],
): Entry[] {
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
    const members = node.body && ts.isModuleBlock(node.body) ? inside(node.body.statements) : []
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
