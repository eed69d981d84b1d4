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
    case 'ObjectExpression':
    case 'ConditionalExpression':
    case 'LogicalExpression':
    case 'AwaitExpression':
      return whereItGoes(parent)
    case 'CallExpression':
      return calledName(parent.callee)
    case 'VariableDeclarator':
      return String(parent.id.name ?? '')
    case 'AssignmentExpression':
      return String(parent.left.property?.name ?? parent.left.name ?? '')
    case 'Property': {
      const key = String(parent.key.name ?? parent.key.value ?? '')
      // So node-postgres calls a statement that it is given with its values.
      return key === 'text' ? whereItGoes(parent) : key
    }
    default:
      return ''
  }
}

/** Much is sent that is no statement: what a client of a database sends is one. */
function calledName(callee: Node): string {
  const name = String(callee.property?.name ?? callee.name ?? '')
  const owner = String(callee.object?.name ?? callee.object?.property?.name ?? '')
  return name === 'send' && /^(?:client|db|database|conn|connection|pool)$/i.test(owner) ? 'query' : name
}

/** The same for Python: `text` begins with the literal, `before` is what stands before it. A statement that is logged, printed or raised is a sentence too. */
export function isPythonSql(text: string, before: string): boolean {
  const content = /^[\s(]*[rbf]{0,2}(?:"""|'''|["'])\s*\(?([\s\S]*)/i.exec(text)?.[1] ?? ''
  if (!statement.test(content) && !/^with\s+\w+\s+as\s*\(/i.test(content)) return false
  if (isTold.test(before)) return false
  const head = content.slice(0, 1000)
  return (
    /^[A-Z]{4,}\b/.test(content) ||
    isClause.test(head) ||
    /\b(?:\w*(?:sql|query|stmt|statement)\w*\s*=|(?:execute|executemany|read_sql|raw|text)\()[\s(]*$/i.test(before)
  )
}

/** What a statement has and a sentence has not. */
const isClause = /\bselect\s+(?:\*|count\()|\bvalues\s*\(|\bwhere\s+[\w."]+\s*(?:=|<|>|in\s*\(|like\s)|\bset\s+\w+\s*=/i

/** The call around it is for people. */
const isTold =
  /(?:\b(?:log|logger|logging|warnings|console|_log|LOG|LOGGER)\.(?:debug|info|warn(?:ing)?|error|critical|exception|log)|\bprint|\b\w*(?:Error|Exception|Warning))\(\s*[rbf]{0,2}$/
