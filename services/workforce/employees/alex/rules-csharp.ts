import { isSql, secretRule, shared, type TreeRule } from './tree-rule.ts'

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
  'secret-in-code': secretRule(
    `[(variable_declarator name: (identifier) @name (string_literal (string_literal_content) @value))
      (property_declaration name: (identifier) @name value: (string_literal (string_literal_content) @value))] @at`,
  ),
}
