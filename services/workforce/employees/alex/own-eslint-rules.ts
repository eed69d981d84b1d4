/** What no plugin has: places by an ESLint selector, each with why it matters and what to do. */
import type { Rule as EslintRule } from 'eslint'
import type { Rule } from './finding.ts'
import { readsPastTheEnd } from './past-the-end.ts'
import { looksSecret, secretName } from './secret.ts'
import { isSqlAt } from './sql-text.ts'

interface OwnRule {
  /** https://eslint.org/docs/latest/extend/selectors */
  readonly selector: string
  readonly message: string
  readonly rule: Rule
  /** Further conditions. */
  holds?(node: Node, textOf: (node: Node) => string): boolean
  /** What to write in place of the node. */
  replace?(node: Node, textOf: (node: Node) => string): { readonly node: Node; readonly text: string } | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a node as the selector found it, of JavaScript or TypeScript.
type Node = any

export const ownRules: Readonly<Record<string, OwnRule>> = {
  'sql-from-values': {
    selector: 'TemplateLiteral[expressions.length>0]',
    message: 'SQL is put together from values.',
    rule: [
      'error',
      'security',
      'A value with a quote in it becomes part of the statement: its sender reads and changes what they want.',
      'Write a placeholder and give the values beside the statement.',
    ],
    holds: node => node.parent?.type !== 'TaggedTemplateExpression' && isSqlAt(node, rawOf(node)),
  },
  'sql-concatenated': {
    selector: 'BinaryExpression[operator="+"][left.type="Literal"]:not([right.type="Literal"])',
    message: 'SQL is put together from values.',
    rule: [
      'error',
      'security',
      'A value with a quote in it becomes part of the statement: its sender reads and changes what they want.',
      'Write a placeholder and give the values beside the statement.',
    ],
    holds: node => isSqlAt(node, String(node.left.value)),
  },
  'markup-from-values': {
    selector: 'AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]:not([right.type="Literal"])',
    message: 'A value becomes markup.',
    rule: [
      'error',
      'security',
      'A value with <img onerror=…> in it runs as script in the page of whoever sees it.',
      'Set textContent, or build the elements.',
    ],
    holds: node => !(node.right.type === 'TemplateLiteral' && node.right.expressions.length === 0),
  },
  'markup-written': {
    selector:
      'CallExpression[callee.object.name="document"][callee.property.name=/^writeln?$/], CallExpression[callee.property.name="insertAdjacentHTML"]:not([arguments.1.type="Literal"]), JSXAttribute[name.name="dangerouslySetInnerHTML"]',
    message: 'A value becomes markup.',
    rule: [
      'error',
      'security',
      'A value with <img onerror=…> in it runs as script in the page of whoever sees it.',
      'Build the elements from text.',
    ],
  },
  'command-from-values': {
    selector:
      'CallExpression[callee.name=/^(exec|execSync)$/][arguments.0.type="TemplateLiteral"][arguments.0.expressions.length>0], CallExpression[callee.name=/^(exec|execSync)$/][arguments.0.type="BinaryExpression"], CallExpression[callee.object.name=/^(child_process|cp|childProcess)$/][callee.property.name=/^(exec|execSync)$/]:not([arguments.0.type="Literal"])',
    message: 'A command for a shell is put together from values.',
    rule: [
      'error',
      'security',
      'A value with a semicolon in it runs a second command.',
      'Use execFile or spawn with a list of arguments.',
    ],
  },
  'certificate-not-checked': {
    selector:
      'Property[key.name="rejectUnauthorized"][value.value=false], Property[key.value="rejectUnauthorized"][value.value=false], AssignmentExpression[left.property.name="NODE_TLS_REJECT_UNAUTHORIZED"][right.value=/^0$/]',
    message: 'The certificate of the other side is not checked.',
    rule: [
      'error',
      'security',
      'Whoever sits in between can answer as the server, and read and change everything.',
      'Check it; for a certificate of your own give its authority as `ca`.',
    ],
    replace: node => (node.type === 'Property' ? { node: node.value, text: 'true' } : undefined),
  },
  'weak-hash': {
    selector:
      'CallExpression[callee.property.name="createHash"][arguments.0.value=/^(md4|md5|sha1|ripemd160)$/i], CallExpression[callee.name="createHash"][arguments.0.value=/^(md4|md5|sha1|ripemd160)$/i]',
    message: 'A hash that is broken.',
    rule: [
      'warning',
      'security',
      'Collisions of it are made in seconds, and passwords hashed with it are guessed by the billion.',
      'Use sha256; for passwords scrypt or argon2.',
    ],
  },
  'weak-cipher': {
    selector:
      'CallExpression[callee.property.name=/^createCipher(iv)?$/][arguments.0.value=/(^des|rc4|-ecb$|^bf)/i], CallExpression[callee.name=/^createCipher(iv)?$/][arguments.0.value=/(^des|rc4|-ecb$|^bf)/i]',
    message: 'A cipher that is broken.',
    rule: [
      'error',
      'security',
      'What is encrypted with it can be read or changed without the key.',
      'Use aes-256-gcm with a new nonce each time.',
    ],
  },
  'secret-in-code': {
    selector:
      'VariableDeclarator[init.type="Literal"], VariableDeclarator[init.type="TSAsExpression"], Property[value.type="Literal"], PropertyDefinition[value.type="Literal"], AssignmentExpression[right.type="Literal"]',
    message: 'A secret stands in the code.',
    rule: [
      'error',
      'security',
      'Everybody who can read the code, its history or a build of it has the secret.',
      'Take it from the environment or a vault, and replace this one: it is known.',
    ],
    holds: node => {
      const value = node.init?.value ?? node.init?.expression?.value ?? node.value?.value ?? node.right?.value
      return typeof value === 'string' && (looksSecret(value) || secretName(nameOf(node), value))
    },
  },
  'token-from-math-random': {
    selector: 'CallExpression[callee.object.name="Math"][callee.property.name="random"]',
    message: 'A secret is made with Math.random.',
    rule: [
      'error',
      'security',
      'Math.random can be foretold from what it gave before.',
      'Use crypto.randomUUID() or crypto.randomBytes().',
    ],
    holds: node =>
      namesSecret.test(
        nameOf(ancestor(node, ['VariableDeclarator', 'AssignmentExpression', 'Property', 'FunctionDeclaration'])),
      ),
  },
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
  'prototype-from-data': {
    selector:
      'AssignmentExpression[left.computed=true][left.property.value="__proto__"], AssignmentExpression[left.property.name="__proto__"]',
    message: 'A prototype is set from a value.',
    rule: [
      'error',
      'security',
      'A changed prototype changes what other objects do.',
      'Use Object.create(null) or a Map.',
    ],
  },
  'prototype-merged': {
    selector: 'AssignmentExpression[left.type="MemberExpression"][left.computed=true][left.property.type="Identifier"]',
    message: 'A merge writes whatever keys the data has.',
    rule: [
      'error',
      'security',
      'Data with the key __proto__ reaches the prototype of all objects, and changes what they do.',
      'Leave out __proto__, constructor and prototype, or merge into Object.create(null).',
    ],
    holds: (node, textOf) => {
      const loop = ancestor(node, ['ForInStatement', 'ForOfStatement'])
      const merge = ancestor(loop, ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
      const name = merge?.id?.name ?? merge?.parent?.id?.name
      const key = loop?.left?.declarations?.[0]?.id?.name
      if (name === undefined || key !== node.left.property.name || merge.range[1] - merge.range[0] > LONGEST_MERGE)
        return false
      const text = textOf(merge)
      return textOf(loop.body).includes(`${name}(`) && !/__proto__|prototype|Object\.create\(null\)/.test(text)
    },
  },
  'expression-from-outside': {
    selector: ':matches(NewExpression, CallExpression)[callee.name="RegExp"]',
    message: 'A regular expression is made of what a request says.',
    rule: [
      'error',
      'security',
      'An expression that takes exponential time stops the process for all.',
      'Escape the text (RegExp.escape), or look for it with includes.',
    ],
    holds: ({ arguments: [pattern] }, textOf) =>
      pattern !== undefined &&
      /\b(?:req|request|ctx)\.(?:query|params|body|headers|cookies|url)\b/.test(textOf(pattern)) &&
      !/escape/i.test(textOf(pattern)),
  },
  'open-to-all-origins': {
    selector: 'CallExpression[callee.property.name="postMessage"][arguments.1.value="*"]',
    message: 'The message goes to any origin.',
    rule: ['warning', 'security', 'Whatever page is in that window reads it.', 'Name the origin.'],
  },
}

/** As rules of ESLint. */
export const ownPlugin = {
  rules: Object.fromEntries(
    Object.entries(ownRules).map(([id, { selector, message, holds, replace }]): [string, EslintRule.RuleModule] => [
      id,
      {
        meta: { type: 'problem', fixable: 'code' },
        create: context => ({
          [selector]: (node: Node) => {
            const textOf = (part: Node) => context.sourceCode.getText(part)
            if (holds && !holds(node, textOf)) return
            const change = replace?.(node, textOf)
            context.report({
              node,
              message,
              ...(change && { fix: fixer => fixer.replaceText(change.node, change.text) }),
            })
          },
        }),
      },
    ]),
  ),
}

/** A merge is short; a longer function would be read anew for each assignment in it. */
const LONGEST_MERGE = 3000

const namesSecret = /token|secret|password|nonce|salt|session|csrf|otp|api_?key/i

const rawOf = (template: Node) => template.quasis.map((part: Node) => part.value.raw).join('?')

/** What a value is called where it is declared, assigned or made. */
const nameOf = (node: Node): string =>
  String(node?.id?.name ?? node?.key?.name ?? node?.key?.value ?? node?.left?.name ?? node?.left?.property?.name ?? '')

const ancestor = (node: Node, types: readonly string[]): Node =>
  !node || types.includes(node.type) ? node : ancestor(node.parent, types)

/** Something that is not itself a comparison. */
const arithmetic = ({ type }: Node) => type === 'Identifier' || type === 'MemberExpression' || type === 'CallExpression'

/** What is a number by its name: a difference of texts is none. */
const numeric = /^(total|count|size|length|price|amount|age|index|time|rank|score)$/
