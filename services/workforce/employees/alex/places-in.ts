/** Where types stand in a file and which names it declares, found in one walk for all that is asked of it. */
import type TypeScript from 'typescript'

export interface Places {
  /** Whether a type stands at the place, which counts UTF-16 units from 0. */
  isOfType(at: number): boolean
  /** What code may call by its bare name: no properties, no types inside types. */
  readonly names: ReadonlySet<string>
}

export function placesIn(ts: typeof TypeScript, source: TypeScript.SourceFile): Places {
  const types: { start: number; end: number }[] = []
  const names = new Set<string>()
  const open: TypeScript.Node[] = [source]
  // Without recursion: a sum may be nested more deeply than the stack.
  for (let node = open.pop(); node; node = open.pop()) {
    if (ts.isTypeNode(node)) {
      types.push({ start: node.getStart(source), end: node.end })
      continue
    }
    const name = declaredBy(ts, node)
    if (name !== undefined) names.add(name)
    ts.forEachChild(node, child => {
      open.push(child)
    })
  }
  types.sort((a, b) => a.start - b.start)
  return {
    names,
    isOfType(at) {
      const next = firstFrom(types.length, index => (types[index]?.start ?? 0) > at)
      return at < (types[next - 1]?.end ?? 0)
    },
  }
}

function declaredBy(ts: typeof TypeScript, node: TypeScript.Node): string | undefined {
  const isBare =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionLike(node) ||
    ts.isClassLike(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isModuleDeclaration(node) ||
    ts.isImportClause(node) ||
    ts.isImportSpecifier(node) ||
    ts.isNamespaceImport(node)
  if (!isBare || ts.isMethodDeclaration(node) || ts.isAccessor(node)) return undefined
  return node.name && ts.isIdentifier(node.name) ? node.name.text : undefined
}

/** The first index that holds, where all after it do; the count where none does. */
function firstFrom(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
