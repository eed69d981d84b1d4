import { isSql, secretRule, shared, type TreeRule } from './tree-rule.ts'

export const phpRules: Readonly<Record<string, TreeRule>> = {
  'result-unused': {
    query: `(expression_statement (function_call_expression function: (name) @function
      (#any-of? @function "trim" "ltrim" "rtrim" "strtolower" "strtoupper" "ucfirst" "substr" "sprintf" "implode" "explode" "htmlspecialchars" "number_format" "array_merge" "array_filter" "array_unique" "array_values" "array_keys" "array_reverse" "array_slice"))) @at`,
    message: 'The result is thrown away.',
    rule: shared.unused,
  },
  'code-from-values': {
    query: `(function_call_expression function: (name) @function (#eq? @function "eval")) @at`,
    message: 'Text is run as code.',
    rule: shared.evaluated,
  },
  'command-from-values': {
    query: `(function_call_expression function: (name) @function
      arguments: (arguments . (argument [(encapsed_string (variable_name)) (binary_expression) (variable_name)]))
      (#any-of? @function "exec" "system" "shell_exec" "passthru" "popen" "proc_open")) @at`,
    message: 'A command for a shell is put together from values.',
    rule: shared.command,
  },
  'sql-from-values': {
    query: `[(encapsed_string (variable_name)) (binary_expression left: (_) right: (_))] @at`,
    message: 'SQL is put together from values.',
    rule: shared.sql,
    holds: ({ at }) =>
      at.parent?.type !== 'binary_expression' &&
      at.parent?.type !== 'encapsed_string' &&
      isSql(at.text) &&
      /\$\w/.test(at.text),
  },
  'objects-from-outside': {
    query: `(function_call_expression function: (name) @function (#eq? @function "unserialize")) @at`,
    message: 'Objects are loaded.',
    rule: shared.foreignObjects,
  },
  'markup-from-values': {
    query: `(echo_statement (subscript_expression (variable_name) @from (#match? @from "^.(_GET|_POST|_REQUEST|_COOKIE)$"))) @at`,
    message: 'A value of the request becomes markup.',
    rule: ['error', 'security', 'A value with <script> in it runs in the page.', 'Use htmlspecialchars.'],
  },
  'weak-hash': {
    query: `(function_call_expression function: (name) @function (#any-of? @function "md5" "sha1")) @at`,
    message: 'A hash that is broken.',
    rule: shared.weakHash,
  },
  'file-from-values': {
    query: `[(include_expression (variable_name)) (require_expression (variable_name)) (include_expression (subscript_expression)) (require_expression (subscript_expression))] @at`,
    message: 'Which file is run depends on a value.',
    rule: shared.evaluated,
  },
  'error-swallowed': {
    query: `(catch_clause body: (compound_statement) @body) @at`,
    message: 'The exception is thrown away.',
    rule: shared.swallowed,
    holds: ({ body }) => body !== undefined && /^\{\s*\}$/.test(body.text),
  },
  'secret-in-code': secretRule(
    `[(assignment_expression left: (variable_name (name) @name) right: [(string . (string_content) @value .) (encapsed_string . (string_content) @value .)])
      (property_element name: (variable_name (name) @name) default_value: [(string . (string_content) @value .) (encapsed_string . (string_content) @value .)])
      (const_element . (name) @name [(string . (string_content) @value .) (encapsed_string . (string_content) @value .)])] @at`,
  ),
}
