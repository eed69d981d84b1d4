/** The assignments of a module, at its top or in a function that it calls at once. */
import type * as TypeScript from 'typescript'
import type { Entry } from './reference.ts'
import { declarationsIn } from './typescript-declarations.ts'
import { type Teller, typescript } from './typescript-teller.ts'

export interface Assignment {
  /** `x` of `x.y = …`; empty where a whole name is assigned. */
  readonly owner: string
  readonly name: string
  /** As it is written, left of the sign. */
  readonly left: string
  readonly value: TypeScript.Expression
  readonly node: TypeScript.Node
  /** It is `module.exports` itself. */
  readonly isExports: boolean
  /** Names that are assigned the same value in the same statement. */
  readonly others: readonly string[]
}

export interface Assignments {
  readonly assignments: readonly Assignment[]
  /** What the functions declare that are called at once. */
  readonly inner: ReadonlyMap<string, readonly Entry[]>
}

export function assignmentsIn(statements: readonly TypeScript.Statement[], teller: Teller): Assignments {
  const ts = typescript()
  const assignments: Assignment[] = []
  const inner: Entry[] = []
  const expression = (value: TypeScript.Expression, node: TypeScript.Node, names: readonly string[]): void => {
    const bare = withoutBrackets(value)
    if (ts.isBinaryExpression(bare) && bare.operatorToken.kind === ts.SyntaxKind.CommaToken) {
      expression(bare.left, node, [])
      expression(bare.right, node, [])
    } else if (ts.isCallExpression(bare)) {
      assignments.push(...byCall(bare, node, teller), ...returned(bare, node))
      for (const body of bodiesCalled(bare)) block(body, true)
    } else if (ts.isConditionalExpression(bare)) {
      expression(bare.whenTrue, node, [])
      expression(bare.whenFalse, node, [])
    } else if (ts.isBinaryExpression(bare) && isLogical(bare.operatorToken.kind)) expression(bare.right, node, [])
    else if (ts.isPrefixUnaryExpression(bare) || ts.isVoidExpression(bare))
      expression(ts.isVoidExpression(bare) ? bare.expression : bare.operand, node, [])
    else assignments.push(...chained(bare, node, names, teller))
  }
  const block = (list: readonly TypeScript.Statement[], isInner: boolean): void => {
    for (const node of list) {
      if (isInner) inner.push(...declarationsIn(node, { ...teller, leave: () => {} }))
      if (ts.isExpressionStatement(node)) expression(node.expression, node, [])
      else if (ts.isVariableStatement(node)) {
        for (const { name, initializer } of node.declarationList.declarations)
          if (initializer && ts.isIdentifier(name)) expression(initializer, node, [name.text])
      } else if (ts.isIfStatement(node))
        block(node.elseStatement ? [node.thenStatement, node.elseStatement] : [node.thenStatement], isInner)
      else if (ts.isBlock(node)) block(node.statements, isInner)
      else if (ts.isTryStatement(node)) block(node.tryBlock.statements, isInner)
    }
  }
  block(statements, false)
  return { assignments, inner: Map.groupBy(inner, ({ name }) => name) }
}

function isLogical(kind: TypeScript.SyntaxKind): boolean {
  const { SyntaxKind } = typescript()
  return kind === SyntaxKind.AmpersandAmpersandToken || kind === SyntaxKind.BarBarToken
}

/** `a = b.c = value` assigns to both. */
function chained(
  first: TypeScript.Expression,
  node: TypeScript.Node,
  names: readonly string[],
  { print, leave }: Teller,
): Assignment[] {
  const ts = typescript()
  const targets: TypeScript.Expression[] = []
  let value = first
  while (ts.isBinaryExpression(value) && value.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
    targets.push(value.left)
    value = withoutBrackets(value.right)
  }
  if (isNothing(value)) return []
  const lefts = targets.map(target => (target.end - target.getStart() > 500 ? '' : print(target)))
  const others = [...names, ...lefts.filter(left => /^[\w$]+$/.test(left))]
  const own = names.map(name => ({ owner: '', name, left: name, value, node, isExports: false, others: [] }))
  return [
    ...own,
    ...targets.flatMap((target, at): Assignment[] => {
      const left = lefts[at] ?? ''
      const isExports = left === 'module.exports' || (left === 'exports' && !lefts.includes('module.exports'))
      if (isExports) return [{ owner: 'module', name: 'exports', left, value, node, isExports, others }]
      if (ts.isPropertyAccessExpression(target) && !ts.isPrivateIdentifier(target.name))
        return [{ owner: print(target.expression), name: target.name.text, left, value, node, isExports, others }]
      if (!ts.isElementAccessExpression(target)) return []
      const key = target.argumentExpression
      if (ts.isStringLiteralLike(key))
        return [{ owner: print(target.expression), name: key.text, left, value, node, isExports, others }]
      leave('names that are computed', left)
      return []
    }),
  ]
}

/** Compilers write `exports.a = void 0` before the value that the name gets. */
function isNothing(value: TypeScript.Expression): boolean {
  const ts = typescript()
  return ts.isVoidExpression(value) || (ts.isIdentifier(value) && value.text === 'undefined')
}

/** `Object.assign(x, { … })` and `Object.defineProperty(x, 'y', …)`. */
function byCall(call: TypeScript.CallExpression, node: TypeScript.Node, { print, leave }: Teller): Assignment[] {
  const ts = typescript()
  const callee = call.expression.end - call.expression.pos > 100 ? '' : print(call.expression)
  const [target, key, descriptor] = call.arguments
  if (!target || !key || target.end - target.pos > 200) return []
  const common = { owner: print(target), node, isExports: false, others: [] }
  if (callee === 'Object.assign' && ts.isObjectLiteralExpression(key))
    return key.properties.flatMap((part): Assignment[] => {
      const value = ts.isPropertyAssignment(part)
        ? part.initializer
        : ts.isShorthandPropertyAssignment(part)
          ? part.name
          : undefined
      if (value && part.name && !ts.isComputedPropertyName(part.name)) {
        const name = print(part.name)
        return [{ ...common, name, left: `${common.owner}.${name}`, value, node: part }]
      }
      leave('assigned by Object.assign', print(part).slice(0, 100))
      return []
    })
  if (callee !== 'Object.defineProperty' || !ts.isStringLiteralLike(key) || key.text === '__esModule') return []
  const value = descriptor ?? key
  return [{ ...common, name: key.text, left: `${common.owner}.${key.text}`, value }]
}

/** Of `(function () { … })()`, and of the factories that such a call is given. */
function bodiesCalled(call: TypeScript.CallExpression): (readonly TypeScript.Statement[])[] {
  const ts = typescript()
  const callee = withoutBrackets(call.expression)
  const called =
    ts.isPropertyAccessExpression(callee) && /^(?:call|apply)$/.test(callee.name.text)
      ? withoutBrackets(callee.expression)
      : callee
  return bodyOf(called) ? [called, ...call.arguments].flatMap(each => [bodyOf(withoutBrackets(each)) ?? []]) : []
}

function bodyOf(node: TypeScript.Expression): readonly TypeScript.Statement[] | undefined {
  const ts = typescript()
  const isFunction = ts.isFunctionExpression(node) || ts.isArrowFunction(node)
  return isFunction && ts.isBlock(node.body) ? node.body.statements : undefined
}

/** What the factory of a universal module gives back is what the module exports. */
function returned(call: TypeScript.CallExpression, node: TypeScript.Node): Assignment[] {
  const ts = typescript()
  const wrapper = bodyOf(withoutBrackets(call.expression))
  if (!wrapper?.some(each => /\bmodule\.exports\s*=\s*\w+\(/.test(each.getText().slice(0, 2000)))) return []
  const common = { owner: 'module', name: 'exports', left: 'module.exports', node, isExports: true, others: [] }
  return call.arguments.flatMap(argument => {
    const last = bodyOf(withoutBrackets(argument))?.findLast(each => ts.isReturnStatement(each))
    return last?.expression ? [{ ...common, value: withoutBrackets(last.expression) }] : []
  })
}

function withoutBrackets(node: TypeScript.Expression): TypeScript.Expression {
  const ts = typescript()
  let inside = node
  while (ts.isParenthesizedExpression(inside)) inside = inside.expression
  return inside
}
