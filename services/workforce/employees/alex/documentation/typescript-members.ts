import type * as TypeScript from 'typescript'
import { type Entry, merged, short } from './reference.ts'
import { isPrivateByComment, kept, type Teller, typescript } from './typescript-teller.ts'

/** Of a class or an interface what may be used from outside or by heirs. */
export function membersOf(
  members: readonly (TypeScript.ClassElement | TypeScript.TypeElement)[],
  { entry, print, head, leave }: Teller,
): Entry[] {
  const ts = typescript()
  const { factory } = ts
  const implementations = implementationsIn(members)
  const told = members.flatMap((member): Entry[] => {
    if (implementations.has(member)) return []
    const flags = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined
    const isHidden =
      flags?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ||
      (member.name && ts.isPrivateIdentifier(member.name)) ||
      isPrivateByComment(member)
    if (isHidden) leave('private members', print(member.name ?? member))
    if (isHidden || ts.isClassStaticBlockDeclaration(member) || ts.isSemicolonClassElement(member)) return []
    const name = member.name ? print(member.name) : ''
    if (ts.isConstructorDeclaration(member))
      return [
        entry(
          'constructor',
          'constructor',
          member,
          head(
            member,
            factory.createConstructorDeclaration(kept(member), member.parameters, undefined),
            member.body?.pos ?? member.end,
          ),
        ),
      ]
    if (ts.isMethodDeclaration(member)) {
      const { asteriskToken, name: own, questionToken, typeParameters, parameters, type } = member
      const bare = factory.createMethodDeclaration(
        kept(member),
        asteriskToken,
        own,
        questionToken,
        typeParameters,
        parameters,
        type,
        undefined,
      )
      return [entry('method', name, member, head(member, bare, member.body?.pos ?? member.end))]
    }
    if (ts.isPropertyDeclaration(member)) {
      const value = member.type || !member.initializer ? '' : ` = ${short(print(member.initializer), 80)}`
      const bare = factory.createPropertyDeclaration(
        kept(member),
        member.name,
        member.questionToken,
        member.type,
        undefined,
      )
      return [
        entry(
          'property',
          name,
          member,
          `${head(member, bare, member.initializer?.pos ?? member.end).replace(/;$/, '')}${value}`,
        ),
      ]
    }
    if (ts.isGetAccessorDeclaration(member))
      return [entry('property', name, member, `get ${name}()${member.type ? `: ${print(member.type)}` : ''}`)]
    if (ts.isSetAccessorDeclaration(member))
      return [entry('property', name, member, `set ${name}(${member.parameters.map(print).join(', ')})`)]
    const kind = ts.isMethodSignature(member) ? 'method' : ts.isPropertySignature(member) ? 'property' : 'signature'
    return [entry(kind, name || short(print(member), 60), member, print(member))]
  })
  return merged(told)
}

/** Nobody can call the signature that an implementation of overloads has. */
export function implementationsIn(nodes: readonly TypeScript.Node[]): Set<TypeScript.Node> {
  const ts = typescript()
  const functions = nodes.filter(
    node => ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node),
  )
  const byName = Map.groupBy(functions, node => {
    const isStatic = ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)
    return `${isStatic ? 'static ' : ''}${node.name?.getText() ?? ''}`
  })
  const overloaded = [...byName.values()].filter(same => same.some(({ body }) => body === undefined))
  return new Set(overloaded.flat().filter(({ body }) => body !== undefined))
}
