import type { Node } from './grammar.ts'
import { type ListKind, pastTheEnd } from './past-the-end-of-list.ts'
import { around, goesTo, hasValue, isSql, LONG_FUNCTION, secretRule, shared, type TreeRule } from './tree-rule.ts'
import { isNullHere, type NullGrammar } from './used-though-null.ts'

const locals: NullGrammar = {
  nothing: 'nil',
  functions: ['function_declaration', 'method_declaration'],
  apart: ['func_literal'],
  blocks: [
    'block',
    'if_statement',
    'for_statement',
    'expression_switch_statement',
    'type_switch_statement',
    'expression_case',
    'type_case',
    'default_case',
    'communication_case',
  ],
  declares: {
    parameter_declaration: 'name',
    variadic_parameter_declaration: 'name',
    var_spec: 'name',
    short_var_declaration: 'left',
    range_clause: 'left',
  },
  places: ['if_statement', 'binary_expression', 'statement_list'],
  lists: ['statement_list'],
}

const lists: readonly ListKind[] = [
  {
    declared:
      /§(?:\s*,\s*\w+){0,20}\s+(?:\*?\[\w*\]|\.\.\.|string\b)|§\s*:?=\s*(?:make\(\s*)?\[\w*\]|§\s*:?=\s*strings\.(?:Split|Fields)\w{0,9}\(/,
    length: 'len\\(§\\)',
    read: ['§\\[', '\\]'],
  },
]

export const goRules: Readonly<Record<string, TreeRule>> = {
  'sql-from-values': {
    query: `(call_expression
      function: (selector_expression field: (field_identifier) @method)
      arguments: (argument_list [(call_expression function: (selector_expression) @format) (binary_expression operator: "+")] @at)
      (#match? @method "^(Query|QueryRow|Exec|Prepare)(Context)?$"))
      (short_var_declaration
        left: (expression_list . (identifier) @name .)
        right: (expression_list . [(call_expression function: (selector_expression) @format) (binary_expression operator: "+")] @at .))
      (var_spec name: (identifier) @name value: (expression_list . [(call_expression function: (selector_expression) @format) (binary_expression operator: "+")] @at .))`,
    message: 'SQL is put together from values.',
    rule: shared.sql,
    holds: ({ at, format, name }) =>
      (!format || format.text === 'fmt.Sprintf') &&
      isSql(at.text.replace(/^fmt\.Sprintf\(/, '')) &&
      (!name ||
        ((format ? at.text.includes('%') : hasValue(at.text)) &&
          goesTo(
            '(?:Query|QueryRow|Exec|Prepare)(?:Context)?',
            { at, name },
            'function_declaration',
            'method_declaration',
            'func_literal',
          ))),
  },
  'command-from-values': {
    query: `(call_expression
      function: (selector_expression) @run
      arguments: (argument_list (interpreted_string_literal) @shell . (interpreted_string_literal) @flag . [(identifier) (binary_expression) (call_expression)]) 
      (#any-of? @run "exec.Command")
      (#match? @shell "(sh|bash)\\"$")
      (#eq? @flag "\\"-c\\"")) @at`,
    message: 'A command for a shell is put together from values.',
    rule: shared.command,
  },
  'certificate-not-checked': {
    query: `(keyed_element (literal_element (identifier) @key) (literal_element (true) @value) (#eq? @key "InsecureSkipVerify")) @at`,
    message: 'The certificate of the other side is not checked.',
    rule: shared.certificate,
    replace: ({ value }) => value && { node: value, text: 'false' },
  },
  'format-arguments': {
    query: `(call_expression function: (selector_expression) @call arguments: (argument_list) @arguments
      (#any-of? @call "fmt.Printf" "fmt.Sprintf" "fmt.Errorf" "fmt.Fprintf" "log.Printf" "log.Fatalf" "log.Panicf")) @at`,
    message: 'The format has another number of verbs than there are values.',
    rule: [
      'error',
      'bug',
      'The text has %!(EXTRA …) or %!s(MISSING) in it.',
      'Give a value for each verb; a sign of percent is %%.',
    ],
    holds: ({ call, arguments: list }) => {
      const given = (list?.namedChildren ?? []).flatMap(node => (node && node.type !== 'comment' ? node : []))
      const [format, ...values] = given.slice(call?.text === 'fmt.Fprintf' ? 1 : 0)
      if (!format || !/string_literal$/.test(format.type) || list?.text.endsWith('...)')) return false
      const verbs = verbsIn(format.text)
      return verbs !== undefined && verbs !== values.length
    },
  },
  'result-unused': {
    query: `(expression_statement (call_expression function: (selector_expression) @call
      (#match? @call "^(fmt\\\\.(Sprintf?|Sprintln|Errorf)|errors\\\\.(New|Join|Unwrap)|strings\\\\.(ToLower|ToUpper|Trim[A-Za-z]*|Replace|ReplaceAll|Join|Repeat|Split)|strconv\\\\.(Itoa|Quote|Format[A-Z][a-z]+)|context\\\\.With[A-Z][A-Za-z]+|path\\\\.Join|filepath\\\\.(Join|Clean|Base|Dir))$"))) @at`,
    message: 'The result is thrown away.',
    rule: shared.unused,
  },
  'interface-not-asked': {
    query: `(call_expression function: (selector_expression operand: (type_assertion_expression operand: (_) @value type: (_) @type))
      (#match? @type "^(http\\\\.(Flusher|Hijacker|Pusher|CloseNotifier)|io\\\\.(Closer|Seeker|ReaderAt|WriterAt|ReaderFrom|WriterTo|StringWriter|ByteReader|ByteWriter))$")) @at`,
    message: 'It may not have these methods.',
    rule: [
      'warning',
      'bug',
      'These interfaces are additional: a value without them, such as one that wraps another, panics here.',
      'Ask first: if one, ok := value.(http.Flusher); ok { … }',
    ],
    holds: ({ at, value, type }) => {
      const body = around(at, 'function_declaration', 'method_declaration', 'func_literal')?.text ?? ''
      // Asked before, or known by its own type.
      return body.length < LONG_FUNCTION && !body.replace(at.text, '').includes(`${value?.text}.(${type?.text})`)
    },
  },
  'defer-in-loop': {
    query: `(for_statement body: (block (statement_list (defer_statement) @at)))`,
    message: 'A defer in a loop waits for the end of the function.',
    rule: [
      'warning',
      'bug',
      'Files and locks of all rounds stay open until the function returns.',
      'Put the body of the loop into a function of its own, or close it in the round.',
    ],
  },
  'used-before-error': {
    query: `(statement_list
      (short_var_declaration left: (expression_list . (identifier) @value . (identifier) @error .))
      . (defer_statement) @at
      (#match? @error "^err"))`,
    message: 'The value is used before its error is looked at.',
    rule: ['error', 'bug', 'With an error the value is nil: this panics.', 'Look at the error first.'],
    holds: ({ at, value }) => at.text.startsWith(`defer ${value?.text}.`),
  },
  'added-inside-goroutine': {
    query: `(go_statement (call_expression function: (func_literal body: (block (statement_list
      (expression_statement (call_expression
        function: (selector_expression operand: (_) @group field: (field_identifier) @method)
        arguments: (argument_list . (int_literal) .)) @at))))) (#eq? @method "Add"))`,
    message: 'The group is added to inside the goroutine.',
    rule: ['error', 'bug', 'Wait may come first, see 0 and not wait.', 'Call Add before go.'],
  },
  'error-discarded': {
    query: `(assignment_statement left: (expression_list . (identifier) @blank .) right: (expression_list . (call_expression) .) (#eq? @blank "_")) @at`,
    message: 'What went wrong is left out of account.',
    rule: [
      'info',
      'bug',
      'The blank name says that this is meant, and nobody learns that it went wrong.',
      'Look at the error, or say in a comment why it does not matter.',
    ],
  },
  'error-swallowed': {
    query: `(if_statement condition: (binary_expression left: (identifier) @error operator: "!=" right: (nil)) consequence: (block) @body (#match? @error "^err")) @at`,
    message: 'The error is looked at and thrown away.',
    rule: shared.swallowed,
    holds: ({ body }) => body !== undefined && /^\{\s*\}$/.test(body.text),
  },
  'write-to-nil-map': {
    query: `[(inc_statement (index_expression operand: (identifier) @map))
      (assignment_statement left: (expression_list (index_expression operand: (identifier) @map)))] @at`,
    message: 'The map was never made.',
    rule: ['error', 'bug', 'Writing to a nil map panics.', 'Make it: make(map[…]…).'],
    holds: ({ at, map }) => {
      const body = around(at, 'function_declaration', 'method_declaration', 'func_literal')?.text ?? ''
      const name = map?.text ?? ''
      return (
        body.length < LONG_FUNCTION &&
        new RegExp(`\\bvar ${name} map\\[[^\\n=]*$`, 'm').test(body) &&
        !new RegExp(`(?:^|[^.\\w])${name} = `, 'm').test(body)
      )
    },
  },
  'weak-hash': {
    query: `(call_expression function: (selector_expression) @function (#any-of? @function "md5.New" "md5.Sum" "sha1.New" "sha1.Sum")) @at`,
    message: 'A hash that is broken.',
    rule: shared.weakHash,
  },
  'server-without-timeouts': {
    query: `(call_expression function: (selector_expression) @function (#any-of? @function "http.ListenAndServe" "http.ListenAndServeTLS")) @at`,
    message: 'The server has no time-outs.',
    rule: [
      'info',
      'security',
      'Connections that say nothing stay open forever: a few thousand of them stop the server.',
      'Use http.Server with ReadHeaderTimeout.',
    ],
  },
  'used-though-null': {
    query: `(selector_expression operand: (identifier) @name field: (field_identifier) @member) @at`,
    message: ({ name }) => `${name?.text} is nil here.`,
    rule: shared.isNull,
    // Methods may be called on nil; an error that is nil has none, but for those that the text declares.
    holds: captured =>
      isNullHere(captured, locals) &&
      !methodsOf(captured.at.tree).has(captured.member?.text ?? '') &&
      (captured.member?.text === 'Error'
        ? /^err|Err$/.test(captured.name?.text ?? '')
        : captured.at.parent?.type !== 'call_expression'),
  },
  'loop-past-the-end': pastTheEnd(
    `(for_statement (for_clause initializer: (_) @first condition: (binary_expression operator: "<=") @at) body: (_) @body)`,
    locals,
    lists,
  ),
  'compared-with-itself': {
    query: `(binary_expression left: (_) @left operator: ["==" "!=" "&&" "||" "<" ">" "<=" ">="] right: (_) @right (#eq? @left @right)) @at`,
    message: 'A value is compared with itself.',
    rule: shared.sameSides,
    holds: ({ left }) => left?.type !== 'call_expression',
  },
  'secret-in-code': secretRule(
    `[(const_spec name: (identifier) @name value: (expression_list (interpreted_string_literal) @value))
      (var_spec name: (identifier) @name value: (expression_list (interpreted_string_literal) @value))
      (short_var_declaration left: (expression_list (identifier) @name) right: (expression_list (interpreted_string_literal) @value))] @at`,
  ),
}

/** The names of the methods that the text declares: taken as a value a method needs no value of its own. */
function methodsOf(tree: Node['tree']): ReadonlySet<string> {
  const before = methods.get(tree)
  if (before) return before
  const found = new Set([...tree.rootNode.text.matchAll(/\) (\w+)\(/g)].map(([, name = '']) => name))
  methods.set(tree, found)
  return found
}

const methods = new WeakMap<Node['tree'], ReadonlySet<string>>()

/** How many values a format takes; undefined where it counts them itself. https://pkg.go.dev/fmt */
function verbsIn(literal: string): number | undefined {
  const text = literal.replaceAll('%%', '')
  return /%[^a-zA-Z%]{0,20}[[*]/.test(text) ? undefined : text.split('%').length - 1
}
