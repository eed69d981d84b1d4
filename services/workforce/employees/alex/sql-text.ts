/** Whether text with values in it is a statement for a database, or a sentence that begins with the same word. */

/** A node of ESLint. */
// biome-ignore lint/suspicious/noExplicitAny: of JavaScript or TypeScript, with whatever fields it has.
type Node = any

/** `text` has a blank for each value. In capitals it is one; otherwise where it goes to a database or is called so. */
export const isSqlAt = (node: Node, text: string): boolean =>
  statement.test(text) && (/^\s*[A-Z]{4,}\b/.test(text) || forDatabase.test(whereItGoes(node)))

const statement =
  /^\s*(?:select\b[^;]{0,2000}?\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\s+\S+\s+set\b|delete\s+from\b|(?:drop|alter|create|truncate)\s+(?:temp(?:orary)?\s+|unique\s+)?(?:table|database|index|view|schema|user|role)\b)/i

const forDatabase = /sql|query|queries|statement|stmt|^(?:execute|exec|prepare|run|raw|all|each|unsafe)$/i

/** The name of the call that takes it, or of what it is kept in; text put together is followed outwards. */
function whereItGoes({ parent }: Node): string {
  switch (parent?.type) {
    case 'BinaryExpression':
    case 'TSAsExpression':
      return whereItGoes(parent)
    case 'CallExpression':
      return String(parent.callee.property?.name ?? parent.callee.name ?? '')
    case 'VariableDeclarator':
      return String(parent.id.name ?? '')
    case 'AssignmentExpression':
      return String(parent.left.property?.name ?? parent.left.name ?? '')
    case 'Property':
      return String(parent.key.name ?? parent.key.value ?? '')
    default:
      return ''
  }
}
