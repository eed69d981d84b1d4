import { changesItsLoop, type LoopGrammar } from './changed-in-its-loop.ts'
import { type ListKind, pastTheEnd } from './past-the-end-of-list.ts'
import { around, goesTo, hasValue, isSql, secretRule, shared, type TreeRule } from './tree-rule.ts'
import { isNullHere, type NullGrammar } from './used-though-null.ts'

/** What takes a statement. */
const takesSql = 'execute|executeQuery|executeUpdate|prepareStatement|createQuery|createNativeQuery|query|update'

/** https://docs.oracle.com/javase/8/docs/api/java/util/ConcurrentModificationException.html */
const loops: LoopGrammar = {
  loop: 'enhanced_for_statement',
  over: 'value',
  variable: 'name',
  breakable: ['enhanced_for_statement', 'for_statement', 'while_statement', 'do_statement', 'switch_expression'],
  apart: ['lambda_expression', 'class_body', 'method_declaration'],
  view: /\.(?:keySet|values|entrySet)\(\)$/,
  throws(types, method, isOfVariable) {
    // Of what the text does not declare, the elements tell that it is a collection of them.
    if (types.size === 0) return method === 'remove' && isOfVariable
    const isAdding = method.startsWith('add')
    return [...types].every(type => failFast.test(type) && !(isAdding && /(?:Set|Map)$/.test(type)))
  },
}

const locals: NullGrammar = {
  nothing: 'null',
  functions: ['method_declaration', 'constructor_declaration', 'compact_constructor_declaration'],
  apart: ['lambda_expression', 'class_body', 'interface_body', 'enum_body', 'annotation_type_body'],
  blocks: [
    'block',
    'constructor_body',
    'for_statement',
    'enhanced_for_statement',
    'try_with_resources_statement',
    'switch_block',
    'switch_rule',
  ],
  declares: { formal_parameter: 'name', variable_declarator: 'name', enhanced_for_statement: 'name' },
  places: ['if_statement', 'ternary_expression', 'binary_expression', 'block', 'constructor_body'],
  lists: ['block', 'constructor_body'],
}

/** Of up to three types within one another. */
const typeArguments = '(?:<(?:[^<>;{}()]|<(?:[^<>;{}()]|<[^<>;{}()]{0,50}>){0,50}>){0,50}>)?'
const lists: readonly ListKind[] = [
  {
    declared: /(?:\]|\.\.\.)\s*§|§\s*\[\]|\bvar\s+§\s*=\s*new\s+[\w.]{1,100}\s*\[/,
    length: '§\\.length',
    read: ['§\\[', '\\]'],
  },
  {
    declared: new RegExp(`\\b(?:List|ArrayList|LinkedList|Vector)${typeArguments}\\s+§`),
    length: '§\\.size\\(\\)',
    read: ['§\\.get\\(', '\\)'],
  },
  {
    declared: /\b(?:String|StringBuilder|StringBuffer|CharSequence)\s+§(?!\s*\[)/,
    length: '§\\.length\\(\\)',
    read: ['§\\.charAt\\(', '\\)'],
  },
]

/** Of java.util, and not of java.util.concurrent. */
const failFast =
  /^(?:(?:Abstract|Sequential|Array|Linked|Hash|Tree|Sorted|Navigable|Priority|Enum|Weak|Identity){0,3}(?:List|Set|Map|Collection|Queue|Deque)|Vector|Stack)$/

export const javaRules: Readonly<Record<string, TreeRule>> = {
  'strings-by-identity': {
    query: `(binary_expression left: (_) @left operator: ["==" "!="] @operator right: (string_literal) @right) @at`,
    message: 'Strings are compared by identity.',
    rule: ['error', 'bug', 'Whether two equal strings are one object is chance.', 'Use equals.'],
    replace: ({ at, left, operator, right }) => ({
      node: at,
      text: `${operator?.text === '!=' ? '!' : ''}${right?.text}.equals(${left?.text})`,
    }),
  },
  'result-unused': {
    query: `(expression_statement (method_invocation object: (_) name: (identifier) @method arguments: (argument_list) @arguments)
      (#match? @method "^(trim|strip|toUpperCase|toLowerCase|substring|replaceAll|replaceFirst)$")) @at`,
    message: 'The result is thrown away.',
    rule: shared.unused,
    // A list has replaceAll of one argument, and is changed; a test may look at whether the call throws.
    holds: ({ at, method, arguments: list }) =>
      !(method?.text === 'substring' && at.parent?.parent?.type === 'try_statement') &&
      !/throw/i.test(around(at, 'method_invocation')?.childForFieldName('name')?.text ?? '') &&
      (!/^replace/.test(method?.text ?? '') ||
        list?.namedChildren.filter(node => node?.type !== 'comment').length === 2),
  },
  'error-swallowed': {
    query: `(catch_clause body: (block) @body) @at`,
    message: 'The exception is thrown away.',
    rule: shared.swallowed,
    holds: ({ body }) => body !== undefined && /^\{\s*\}$/.test(body.text),
  },
  'sql-from-values': {
    query: `(method_invocation name: (identifier) @method arguments: (argument_list (binary_expression operator: "+") @at)
      (#match? @method "^(${takesSql})$"))
      (variable_declarator name: (identifier) @name value: (binary_expression operator: "+") @at)`,
    message: 'SQL is put together from values.',
    rule: shared.sql,
    holds: ({ at, name }) =>
      isSql(at.text) &&
      (!name || (hasValue(at.text) && goesTo(takesSql, { at, name }, 'method_declaration', 'constructor_declaration'))),
  },
  'command-from-values': {
    query: `(method_invocation name: (identifier) @method arguments: (argument_list (binary_expression operator: "+")) (#eq? @method "exec")) @at`,
    message: 'A command is put together from values.',
    rule: shared.command,
  },
  'weak-hash': {
    query: `(method_invocation name: (identifier) @method arguments: (argument_list (string_literal) @name)
      (#eq? @method "getInstance") (#match? @name "^\\"(MD5|MD4|MD2|SHA-?1)\\"$")) @at`,
    message: 'A hash that is broken.',
    rule: shared.weakHash,
  },
  'return-in-finally': {
    query: `(finally_clause (block [(return_statement) (throw_statement)] @at))`,
    message: 'A return or throw in finally.',
    rule: ['error', 'bug', 'It replaces the result and swallows the exception.', 'Move it out of finally.'],
  },
  'objects-from-outside': {
    query: `(method_invocation name: (identifier) @method arguments: (argument_list . ")") (#eq? @method "readObject")) @at`,
    message: 'Objects are read from a stream.',
    rule: shared.foreignObjects,
  },
  'compared-with-itself': {
    query: `(binary_expression left: (_) @left operator: ["==" "!=" "&&" "||" "<" ">" "<=" ">="] right: (_) @right (#eq? @left @right)) @at`,
    message: 'A value is compared with itself.',
    rule: shared.sameSides,
    holds: ({ left }) => left?.type !== 'method_invocation',
  },
  'run-instead-of-start': {
    query: `(method_invocation object: (object_creation_expression type: (type_identifier) @type) name: (identifier) @method
      (#eq? @type "Thread") (#eq? @method "run")) @at`,
    message: 'The thread is not started.',
    rule: ['error', 'bug', 'run() works in the calling thread.', 'Call start().'],
  },
  'changed-in-its-loop': {
    query: `(expression_statement (method_invocation object: (_) @object name: (identifier) @method arguments: (argument_list) @arguments)
      (#any-of? @method "remove" "removeAll" "removeIf" "retainAll" "clear" "add" "addAll")) @at`,
    message: 'A collection is changed in the loop over it.',
    rule: [
      'error',
      'bug',
      'The next step of the loop throws ConcurrentModificationException, or leaves elements out.',
      'Use removeIf, or an Iterator and its remove(), or make the changes after the loop.',
    ],
    holds: captured => changesItsLoop(captured, loops),
  },
  'used-though-null': {
    query: `[(method_invocation object: (identifier) @name) (field_access object: (identifier) @name)
      (array_access array: (identifier) @name)] @at`,
    message: ({ name }) => `${name?.text} is null here.`,
    rule: shared.isNull,
    holds: captured => isNullHere(captured, locals),
  },
  'loop-past-the-end': pastTheEnd(
    `(for_statement init: (_) @first condition: (binary_expression operator: "<=") @at body: (_) @body)`,
    locals,
    lists,
  ),
  'secret-in-code': secretRule('(variable_declarator name: (identifier) @name value: (string_literal) @value) @at'),
}
