import { changesItsLoop, type LoopGrammar } from './changed-in-its-loop.ts'
import { type ListKind, pastTheEnd } from './past-the-end-of-list.ts'
import { isSql, secretRule, shared, type TreeRule } from './tree-rule.ts'
import { isNullHere, type NullGrammar } from './used-though-null.ts'

/** Sets and dictionaries may lose elements in a loop over them since .NET Core 3; lists may not. */
const loops: LoopGrammar = {
  loop: 'foreach_statement',
  over: 'right',
  variable: 'left',
  breakable: ['foreach_statement', 'for_statement', 'while_statement', 'do_statement', 'switch_statement'],
  apart: ['lambda_expression', 'anonymous_method_expression', 'local_function_statement', 'method_declaration'],
  view: /$^/,
  throws: types =>
    types.size > 0 && [...types].every(type => /^(?:I?List|ArrayList|(?:Observable)?Collection)$/.test(type)),
}

const locals: NullGrammar = {
  nothing: 'null',
  functions: ['method_declaration', 'constructor_declaration', 'operator_declaration', 'accessor_declaration'],
  apart: [
    'lambda_expression',
    'anonymous_method_expression',
    'local_function_statement',
    'declaration_list',
    'enum_member_declaration_list',
  ],
  blocks: ['block', 'for_statement', 'foreach_statement', 'using_statement', 'fixed_statement', 'switch_body'],
  declares: { parameter: 'name', variable_declarator: 'name', foreach_statement: 'left' },
  places: ['if_statement', 'conditional_expression', 'binary_expression', 'block'],
  lists: ['block'],
}

const lists: readonly ListKind[] = [
  {
    declared:
      /(?:\[\]|\b[Ss]tring|\b(?:I|IReadOnly)?List<(?:[^<>;{}()]|<[^<>;{}()]{0,50}>){1,50}>)\??\s+§|\bvar\s+§\s*=\s*new\s+(?:List<|[\w.]{1,100}\s*\[[^,\]]*\])/,
    length: '§\\.(?:Length|Count)',
    read: ['§\\[', '\\]'],
  },
]

export const csharpRules: Readonly<Record<string, TreeRule>> = {
  'error-swallowed': {
    query: `(catch_clause body: (block) @body) @at`,
    message: 'The exception is thrown away.',
    rule: shared.swallowed,
    holds: ({ body }) => body !== undefined && /^\{\s*\}$/.test(body.text),
  },
  'sql-from-values': {
    query: `[(interpolated_string_expression (interpolation)) (binary_expression operator: "+")] @at`,
    message: 'SQL is put together from values.',
    rule: shared.sql,
    holds: ({ at }) =>
      at.parent?.type !== 'binary_expression' && isSql(at.text) && /[^"\s]\s*\+|\+\s*[^"\s]|\{/.test(at.text),
  },
  'async-void': {
    query: `(method_declaration (modifier) @modifier returns: (predefined_type) @type name: (identifier) @name parameters: (parameter_list) @parameters
      (#eq? @modifier "async") (#eq? @type "void")) @at`,
    message: 'Nobody can wait for this method.',
    rule: ['error', 'bug', 'An exception in it ends the process.', 'Return Task.'],
    holds: ({ parameters }) => !parameters?.text.includes('EventArgs'),
    replace: ({ type }) => type && { node: type, text: 'Task' },
  },
  'used-though-null': {
    query: `(member_access_expression expression: (identifier) @name name: (identifier) @member) @at`,
    message: ({ name }) => `${name?.text} is null here.`,
    rule: shared.isNull,
    // Extension methods may be called on null.
    holds: captured =>
      captured.member?.text !== 'HasValue' &&
      // `Color.Red` is of the type, though a variable has its name.
      /^[a-z_]/.test(captured.name?.text ?? '') &&
      isNullHere(captured, locals) &&
      captured.at.parent?.type !== 'invocation_expression',
  },
  'loop-past-the-end': pastTheEnd(
    `(for_statement initializer: (_) @first condition: (binary_expression operator: "<=") @at body: (_) @body)`,
    locals,
    lists,
  ),
  'objects-from-outside': {
    query: `(object_creation_expression type: (identifier) @type (#any-of? @type "BinaryFormatter" "NetDataContractSerializer" "LosFormatter")) @at`,
    message: 'Objects are loaded.',
    rule: shared.foreignObjects,
  },
  'weak-hash': {
    query: `(invocation_expression function: (member_access_expression expression: (identifier) @of name: (identifier) @method)
      (#any-of? @of "MD5" "SHA1") (#any-of? @method "Create" "HashData")) @at`,
    message: 'A hash that is broken.',
    rule: shared.weakHash,
  },
  'stack-lost': {
    query: `(catch_clause (catch_declaration name: (identifier) @error) body: (block (throw_statement (identifier) @thrown) @at) (#eq? @error @thrown))`,
    message: 'The exception is thrown anew.',
    rule: ['warning', 'bug', 'Its stack begins here and no longer where it went wrong.', 'Write throw; alone.'],
    replace: ({ at }) => ({ node: at, text: 'throw;' }),
  },
  'changed-in-its-loop': {
    query: `(expression_statement (invocation_expression
        function: (member_access_expression expression: (_) @object name: (identifier) @method)
        arguments: (argument_list) @arguments)
      (#any-of? @method "Remove" "RemoveAt" "RemoveAll" "RemoveRange" "Clear" "Add" "AddRange" "Insert" "InsertRange")) @at`,
    message: 'A list is changed in the loop over it.',
    rule: [
      'error',
      'bug',
      'The next step of the loop throws InvalidOperationException.',
      'Use RemoveAll, go over a copy of the list, or make the changes after the loop.',
    ],
    holds: captured => changesItsLoop(captured, loops),
  },
  'secret-in-code': secretRule(
    `[(variable_declarator name: (identifier) @name (string_literal (string_literal_content) @value))
      (property_declaration name: (identifier) @name value: (string_literal (string_literal_content) @value))] @at`,
  ),
}
