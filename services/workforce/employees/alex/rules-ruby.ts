import { isSql, secretRule, shared, type TreeRule } from './tree-rule.ts'

export const rubyRules: Readonly<Record<string, TreeRule>> = {
  'command-from-values': {
    query: `[(call !receiver method: (identifier) @method arguments: (argument_list . (string (interpolation)) .) (#any-of? @method "system" "exec" "spawn"))
      (subshell (interpolation))] @at`,
    message: 'A command for a shell is put together from values.',
    rule: shared.command,
  },
  'code-from-values': {
    query: `(call !receiver method: (identifier) @method arguments: (argument_list . [(identifier) (call) (string (interpolation)) (element_reference)]) (#any-of? @method "eval" "instance_eval" "class_eval")) @at`,
    message: 'Code is made from values.',
    rule: shared.evaluated,
  },
  'objects-from-outside': {
    query: `(call receiver: (constant) @of method: (identifier) @method (#any-of? @of "Marshal" "YAML") (#any-of? @method "load" "unsafe_load")) @at`,
    message: 'Objects are loaded.',
    rule: shared.foreignObjects,
  },
  'sql-from-values': {
    query: `(call method: (identifier) @method arguments: (argument_list . (string (interpolation)) @at) (#any-of? @method "execute" "exec_query" "find_by_sql" "where" "query"))`,
    message: 'SQL is put together from values.',
    rule: shared.sql,
    holds: ({ at, method }) => method?.text === 'where' || isSql(at.text),
  },
  'certificate-not-checked': {
    query: `((scope_resolution name: (constant) @name) @at (#eq? @name "VERIFY_NONE"))`,
    message: 'The certificate of the other side is not checked.',
    rule: shared.certificate,
    replace: ({ name }) => name && { node: name, text: 'VERIFY_PEER' },
  },
  'assignment-in-condition': {
    query: `[(if condition: (assignment right: [(string) (integer) (true) (false) (nil)]) @at) (unless condition: (assignment right: [(string) (integer) (true) (false) (nil)]) @at) (while condition: (assignment right: [(string) (integer) (true) (false) (nil)]) @at)]`,
    message: 'A condition assigns.',
    rule: ['error', 'bug', 'The condition is what was assigned, and the old value is lost.', 'Compare with ==.'],
  },
  'never-runs': {
    query: `(body_statement (return) @at . (_) @next)`,
    message: 'Nothing after this return runs.',
    rule: ['error', 'bug', 'What stands behind it has no effect.', 'Leave out the return, or what follows it.'],
    holds: ({ next }) => next !== undefined && !/^(?:comment|rescue|ensure|else|heredoc_body)$/.test(next.type),
  },
  'catches-everything': {
    query: `(rescue exceptions: (exceptions (constant) @name) (#eq? @name "Exception")) @at`,
    message: 'Everything is rescued.',
    rule: ['warning', 'bug', 'Exception includes interrupts and exit.', 'Rescue StandardError.'],
    replace: ({ name }) => name && { node: name, text: 'StandardError' },
  },
  'error-swallowed': {
    query: `(rescue !body) @at`,
    message: 'The error is thrown away.',
    rule: shared.swallowed,
  },
  'secret-in-code': secretRule(
    `[(assignment left: [(identifier) (constant) (instance_variable)] @name right: (string . (string_content) @value .))
      (pair key: (hash_key_symbol) @name value: (string . (string_content) @value .))] @at`,
  ),
}
