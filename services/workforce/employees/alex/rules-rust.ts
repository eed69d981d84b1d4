import type { Node } from './grammar.ts'
import type { LocalsGrammar } from './locals.ts'
import { type ListKind, pastTheEnd } from './past-the-end-of-list.ts'
import { isSql, secretRule, shared, type TreeRule } from './tree-rule.ts'

const locals: LocalsGrammar = {
  functions: ['function_item'],
  apart: ['closure_expression', 'async_block', 'declaration_list'],
  blocks: ['block', 'for_expression', 'if_expression', 'while_expression', 'match_arm'],
  // Patterns only hide what is declared around them.
  declares: {
    parameter: 'pattern',
    let_declaration: 'pattern',
    for_expression: 'pattern',
    let_condition: 'pattern',
    match_pattern: '',
  },
  places: ['range_expression'],
}

const lists: readonly ListKind[] = [
  {
    declared:
      /§\s*:\s*(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?(?:\[|Vec<)|\blet\s+(?:mut\s+)?§\s*=\s*(?:vec!|Vec::(?:new|with_capacity)\(|&?\[)/,
    length: '§\\.len\\(\\)',
    read: ['§\\[', '\\]'],
  },
]

const TEST = /^#\[\s*(?:cfg\s*\(\s*test\s*\)|(?:\w+\s*::\s*)*test\b)/

/** Below `#[cfg(test)]`, or in a function with `#[test]`, `#[tokio::test]` and the like. */
function isInTest(node: Node): boolean {
  for (let at: Node | null = node; at; at = at.parent)
    for (let before = at.previousNamedSibling; before; before = before.previousNamedSibling) {
      if (before.type === 'attribute_item' && TEST.test(before.text)) return true
      if (!/^(?:attribute_item|(?:line|block)_comment)$/.test(before.type)) break
    }
  return false
}

export const rustRules: Readonly<Record<string, TreeRule>> = {
  'certificate-not-checked': {
    query: `(call_expression function: (field_expression field: (field_identifier) @method) arguments: (arguments (boolean_literal) @value)
      (#any-of? @method "danger_accept_invalid_certs" "danger_accept_invalid_hostnames") (#eq? @value "true")) @at`,
    message: 'The certificate of the other side is not checked.',
    rule: shared.certificate,
    replace: ({ value }) => value && { node: value, text: 'false' },
  },
  'sql-from-values': {
    query: `(macro_invocation macro: (identifier) @macro (token_tree (string_literal) @text) (#eq? @macro "format")) @at`,
    message: 'SQL is put together from values.',
    rule: shared.sql,
    holds: ({ text }) => text !== undefined && isSql(text.text) && text.text.includes('{'),
  },
  'memory-reinterpreted': {
    query: `(call_expression function: [(scoped_identifier name: (identifier) @name) (identifier) @name (generic_function function: (scoped_identifier name: (identifier) @name))] (#eq? @name "transmute")) @at`,
    message: 'Memory is read as another type.',
    rule: [
      'warning',
      'bug',
      'Whether the bits are a value of the other type is not checked.',
      'Use from_bits, to_bytes or a cast that is checked.',
    ],
  },
  'not-written-yet': {
    query: `(macro_invocation macro: (identifier) @macro (#any-of? @macro "todo" "unimplemented")) @at`,
    message: 'This is not written yet.',
    rule: ['warning', 'bug', 'It panics when it is reached.', 'Write it, or give an error back.'],
  },
  'panics-on-error': {
    query: `(call_expression function: (field_expression field: (field_identifier) @method) arguments: (arguments) @arguments (#eq? @method "unwrap")) @at`,
    message: 'An error becomes a panic.',
    rule: [
      'info',
      'bug',
      'The thread stops without a word of what went wrong.',
      'Pass the error on with ?, or say with expect why it can not happen.',
    ],
    // A test that panics fails, and says where: Clippy has allow-unwrap-in-tests for it.
    holds: ({ at }) => !isInTest(at),
  },
  'compared-with-itself': {
    query: `(binary_expression left: (_) @left operator: ["==" "!=" "&&" "||" "<" ">" "<=" ">="] right: (_) @right (#eq? @left @right)) @at`,
    message: 'A value is compared with itself.',
    rule: shared.sameSides,
    holds: ({ left }) => left?.type !== 'call_expression',
  },
  'loop-past-the-end': pastTheEnd(
    `(for_expression pattern: (identifier) @first value: (range_expression) @at body: (_) @body)`,
    locals,
    lists,
    '..=',
  ),
  'secret-in-code': secretRule(
    `[(const_item name: (identifier) @name value: (string_literal . (string_content) @value .))
      (static_item name: (identifier) @name value: (string_literal . (string_content) @value .))
      (let_declaration pattern: (identifier) @name value: (string_literal . (string_content) @value .))] @at`,
  ),
}
