/** Whether a loop up to a length and one further reads what is not there. */

/** A node of ESLint. */
// biome-ignore lint/suspicious/noExplicitAny: of JavaScript or TypeScript, with whatever fields it has.
type Node = any

/**
 * `for (let i = 0; i <= list.length; i++)` with `list[i]` in its body: positions between values go that far as well, and are given to
 * `slice`. Where the body compares with the length or says what is taken where nothing is, its writer has thought of it.
 */
export function readsPastTheEnd({ test, init, body }: Node, textOf: (node: Node) => string): boolean {
  const { left, right } = test
  if (init?.declarations?.[0]?.init?.value !== 0 || left.type !== 'Identifier') return false
  const [list, length, index] = [textOf(right.object), textOf(right), left.name]
  const inside = [...nodesOf(body)]
  const isRead = (node: Node) =>
    node.type === 'MemberExpression' &&
    node.computed &&
    node.property.name === index &&
    textOf(node.object) === list &&
    !isExpected(node)
  const isCompared = (node: Node) =>
    node.type === 'BinaryExpression' && [node.left, node.right].some(side => textOf(side) === length)
  return inside.some(isRead) && !inside.some(isCompared)
}

/** `list[i] ?? other`, `list[i]?.name`, `list[i] === undefined`, `list[i] = value`. */
const isExpected = (node: Node): boolean => {
  const { type, left, right, optional } = node.parent
  if (type === 'BinaryExpression') return isNothing(left) || isNothing(right)
  if (type === 'LogicalExpression' || type === 'AssignmentExpression') return left === node
  return type === 'MemberExpression' && optional
}

const isNothing = ({ type, name, value }: Node) => name === 'undefined' || (type === 'Literal' && value === null)

function* nodesOf(node: Node): Generator<Node> {
  if (typeof node?.type !== 'string') return
  yield node
  for (const [key, part] of Object.entries(node))
    if (key !== 'parent') for (const inner of Array.isArray(part) ? part : [part]) yield* nodesOf(inner)
}
