/** Rules of our own about bugs; those about holes stand in own-eslint-rules.ts. */
import type { Node, OwnRule } from './own-eslint-rule.ts'
import { readsPastTheEnd } from './past-the-end.ts'

export const ownBugRules: Readonly<Record<string, OwnRule>> = {
  'promise-in-for-each': {
    selector:
      'CallExpression[callee.property.name="forEach"] > :matches(ArrowFunctionExpression, FunctionExpression)[async=true]:first-child',
    message: 'forEach does not wait for an async function.',
    rule: [
      'error',
      'bug',
      'What follows runs before the work is done, and an error in it is an unhandled rejection.',
      'Use for … of with await, or await Promise.all(list.map(…)).',
    ],
  },
  'async-predicate': {
    selector:
      'CallExpression[callee.property.name=/^(filter|some|every|find|findIndex)$/] > :matches(ArrowFunctionExpression, FunctionExpression)[async=true]',
    message: 'An async function as a predicate is always true.',
    rule: [
      'error',
      'bug',
      'It gives a promise, and a promise counts as true.',
      'Await the answers first with Promise.all.',
    ],
  },
  'fallback-of-zero': {
    selector:
      'LogicalExpression[operator=/^(\\|\\||\\?\\?)$/] > BinaryExpression.right[operator=/^[*/]$/] > Literal.left[value=0]',
    message: 'The fallback is zero whatever follows.',
    rule: [
      'error',
      'bug',
      '* and / bind closer than || and ??: the value before them is taken as it is.',
      'Put the choice in brackets: (a || 0) / b.',
    ],
  },
  'exit-code-ignored': {
    selector: 'ExpressionStatement > CallExpression[callee.name="spawnSync"]',
    message: 'How the program ended is not looked at.',
    rule: [
      'warning',
      'bug',
      'spawnSync throws nothing: a program that fails, or is not there, goes by unseen.',
      'Look at status and error of what it gives, or use execFileSync.',
    ],
  },
  'result-unused': {
    selector:
      'ExpressionStatement > CallExpression.expression[callee.property.name=/^(trim|trimStart|trimEnd|toUpperCase|toLowerCase|replaceAll|padStart|padEnd|toSorted|toReversed|toSpliced|toFixed)$/], ExpressionStatement > CallExpression.expression[callee.property.name="replace"][arguments.0.regex][arguments.length=2]',
    message: 'The result is thrown away.',
    rule: [
      'error',
      'bug',
      'The call changes nothing: it gives a new value, and that is thrown away.',
      'Use what it gives, or leave the call out.',
    ],
    // A function may look at each match, and a `try` or a test at whether the call throws.
    holds: (node, textOf) => {
      const around = node.parent.parent?.parent
      const callee = around && isFunction(around) ? around.parent.callee : undefined
      const isOfTest = callee !== undefined && /throws|^expect$/i.test(textOf(callee))
      return !node.arguments.some(isFunction) && around?.type !== 'TryStatement' && !isOfTest
    },
  },
  'finally-before-the-end': {
    selector: 'TryStatement[finalizer] ReturnStatement > CallExpression.argument',
    message: 'What is in finally may run before the work is done.',
    rule: [
      'warning',
      'bug',
      'Where the call gives a promise, it is given back at once: what finally closes or releases is gone while the work goes on.',
      'Write return await where it gives a promise.',
    ],
    holds: (node, textOf) => !isAtOnce(node) && awaitsAfter(node, textOf) && !isPlainHere(node, textOf),
    replace: (node, textOf) => ({ node, text: `await ${textOf(node)}` }),
  },
  'loop-past-the-end': {
    selector: 'ForStatement > BinaryExpression[operator="<="][right.property.name="length"]',
    message: 'The loop runs once past the end.',
    rule: ['error', 'bug', 'The last index is length - 1; at length there is nothing.', 'Compare with <.'],
    holds: (node, textOf) => node.parent.test === node && readsPastTheEnd(node.parent, textOf),
    replace: (node, textOf) => ({ node, text: `${textOf(node.left)} < ${textOf(node.right)}` }),
  },
  'comparator-gives-boolean': {
    selector:
      'CallExpression[callee.property.name=/^(sort|toSorted)$/] > ArrowFunctionExpression[params.length=2] > BinaryExpression[operator=/^(<|>|<=|>=)$/]',
    message: 'The comparator gives a boolean.',
    rule: [
      'error',
      'bug',
      'sort wants a negative number, 0 or a positive one: true and false never say “before”.',
      'Subtract the values, or use localeCompare.',
    ],
    holds: node => node.parent.body === node && arithmetic(node.left) && arithmetic(node.right),
    replace: (node, textOf) => {
      const [more, less] = node.operator.startsWith('>') ? [node.left, node.right] : [node.right, node.left]
      return numeric.test(more.property?.name) && numeric.test(less.property?.name)
        ? { node, text: `${textOf(more)} - ${textOf(less)}` }
        : undefined
    },
  },
  'error-swallowed': {
    selector:
      'CallExpression[callee.property.name="catch"] > ArrowFunctionExpression[body.type="BlockStatement"][body.body.length=0]',
    message: 'An error is thrown away.',
    rule: [
      'warning',
      'bug',
      'Nobody learns that it went wrong.',
      'Handle it, pass it on, or say in a comment why nothing is done.',
    ],
  },
}

const isFunction = ({ type }: Node) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression'

/** Whether the call is in the block of a `try` of the same async function, whose `finally` awaits something. */
function awaitsAfter(node: Node, textOf: (node: Node) => string): boolean {
  for (let at = node; at?.parent; at = at.parent) {
    if (isFunction(at) || at.type === 'FunctionDeclaration') return false
    const { parent } = at
    if (parent.type === 'TryStatement' && parent.block === at && parent.finalizer)
      if (/\bawait\b/.test(textOf(parent.finalizer))) return true
  }
  return false
}

/** What gives no promise by its name. */
const isAtOnce = ({ callee }: Node) =>
  /^(JSON|Object|Math|Number|String|Array|Boolean|Buffer|BigInt|Symbol|parseInt|parseFloat|structuredClone|isNaN)$/.test(
    callee.object?.name ?? callee.name,
  ) ||
  /^(map|filter|slice|join|toString|concat|flat|flatMap|sort|toSorted|get|has|includes|trim|split|reduce|some|every|indexOf|replace|replaceAll|toISOString|toFixed)$/.test(
    callee.property?.name,
  )

/** A call of a short function of the same file that is not async and says nothing of promises. */
function isPlainHere({ callee, parent }: Node, textOf: (node: Node) => string): boolean {
  let program = parent
  while (program.parent) program = program.parent
  const made = callee.type === 'Identifier' ? functionsOf(program).get(callee.name) : undefined
  if (made === undefined || made.async || made.range[1] - made.range[0] > SHORT) return false
  return !/Promise|\b(?:async|await|fetch|then)\b/.test(textOf(made))
}

const SHORT = 2_000

/** By name, those of the file itself. Each file is searched once. */
function functionsOf(program: Node): ReadonlyMap<string, Node> {
  const known = functions.get(program)
  if (known !== undefined) return known
  const found = (program.body as Node[])
    .map(node => node.declaration ?? node)
    .flatMap(node => (node.type === 'VariableDeclaration' ? node.declarations : node))
    .map((node): [string, Node] => [node.id?.name, node.init ?? node])
    .filter(([, node]) => isFunction(node) || node.type === 'FunctionDeclaration')
  const all = new Map(found)
  functions.set(program, all)
  return all
}

const functions = new WeakMap<Node, ReadonlyMap<string, Node>>()

/** Something that is not itself a comparison. */
const arithmetic = ({ type }: Node) => type === 'Identifier' || type === 'MemberExpression' || type === 'CallExpression'

/** What is a number by its name: a difference of texts is none. */
const numeric = /^(total|count|size|length|price|amount|age|index|time|rank|score)$/
