/** JavaScript and TypeScript, read by ESLint in memory. Comments that switch rules off are not seen here: known-safe.ts judges those at a line. */
import { createRequire } from 'node:module'
import type { ESLint, Linter as EslintLinter } from 'eslint'
import type { Edit } from './edit.ts'
import { type Found, type Linter, plain, syntaxError } from './finding.ts'
import { isBuildConstant, namesKnown } from './names-known.ts'
import { ownPlugin, ownRules } from './own-eslint-rules.ts'
import { ruleTable } from './rule-table.ts'

const require = createRequire(import.meta.url)
const eslintRules = ruleTable('eslint-rules.tsv')

/** `path` decides by its ending whether there may be JSX. Both throw a `RangeError` where the text is nested too deeply. */
export function eslintFor(language: 'javascript' | 'typescript', path: string): Linter {
  const name = language === 'javascript' ? 'code.js' : /x$/i.test(path) ? 'code.tsx' : 'code.ts'
  const messagesOf = (text: string, rules: EslintLinter.RulesRecord) => {
    for (const kind of ['module', 'commonjs'] as const) {
      const config = configOf(language, kind, rules)
      const messages = withoutSchemas(config, () =>
        engine().verify(text, config, { filename: name, allowInlineConfig: false }),
      )
      if (messages.some(isOfStack)) throw new RangeError('The text is too much for the parser.')
      if (!messages.some(({ fatal }) => fatal) || kind === 'commonjs' || language === 'typescript') return messages
    }
    return []
  }
  return {
    lint: text => {
      const all = messagesOf(text, rulesOf(language)).filter(isFault).map(found)
      const better = new Set(Object.values(saidBetter))
      const said = new Set(all.filter(({ rule }) => better.has(rule)).map(({ rule, line }) => `${line} ${rule}`))
      return all.filter(({ rule, line }) => !said.has(`${line} ${saidBetter[rule]}`))
    },
    parses: text => !messagesOf(text, {}).some(({ fatal }) => fatal),
  }
}

/** A parser ran out of stack, that of TypeScript or acorn: of the code it says nothing. */
const isOfStack = ({ fatal, message }: EslintLinter.LintMessage) =>
  fatal === true && /^Parsing error: (?:Maximum call stack size exceeded|Not enough stack space)/.test(message)

const isFault = ({ ruleId, message }: EslintLinter.LintMessage): boolean =>
  ruleId !== 'no-undef' || !isBuildConstant(/^'([^']+)'/.exec(message)?.[1] ?? '')

/** What is not told where another rule tells the same. */
const saidBetter: Readonly<Record<string, string | undefined>> = {
  'security/detect-child-process': 'command-from-values',
}

let linter: EslintLinter | undefined

/** Loaded with the first source that needs it. */
function engine(): EslintLinter {
  linter ??= new (require('eslint').Linter)() as EslintLinter
  return linter
}

/**
 * The options are ours (`options`). To check them ESLint makes code of the rule's schema, which this process may not: while it
 * checks a configuration, no rule has a schema. Other rules are made of those schemas, when their plugin is loaded.
 */
function withoutSchemas<Value>({ plugins = {}, rules: asked = {} }: EslintLinter.Config, work: () => Value): Value {
  const { builtinRules } = require('eslint/use-at-your-own-risk')
  const rules = Object.keys(asked).flatMap(id => {
    const [plugin = '', name = ''] = id.includes('/') ? id.split('/') : []
    return plugins[plugin]?.rules?.[name] ?? builtinRules.get(id) ?? []
  })
  const metas = rules.flatMap(rule => ('meta' in rule && rule.meta ? rule.meta : []))
  const schemas = metas.map(({ schema }) => schema)
  for (const meta of metas) meta.schema = false
  try {
    return work()
  } finally {
    for (const [at, meta] of metas.entries()) {
      const schema = schemas[at]
      if (schema === undefined) delete meta.schema
      else meta.schema = schema
    }
  }
}

function configOf(
  language: 'javascript' | 'typescript',
  sourceType: 'module' | 'commonjs',
  rules: EslintLinter.RulesRecord,
): EslintLinter.Config {
  const key = `${language} ${sourceType} ${Object.keys(rules).length}`
  const known = configs.get(key)
  if (known) return known
  const isTyped = language === 'typescript'
  const plugins: Record<string, ESLint.Plugin> = {
    own: ownPlugin,
    security: require('eslint-plugin-security'),
    regexp: require('eslint-plugin-regexp'),
    ...(isTyped && { '@typescript-eslint': require('@typescript-eslint/eslint-plugin') }),
  }
  const config: EslintLinter.Config = {
    files: ['**/*.js', '**/*.ts', '**/*.tsx'],
    languageOptions: {
      ecmaVersion: 'latest',
      sourceType,
      globals: Object.fromEntries([...namesKnown].map(name => [name, 'readonly' as const])),
      parserOptions: { ecmaFeatures: { jsx: true } },
      ...(isTyped && { parser: require('@typescript-eslint/parser'), parserOptions: {} }),
    },
    plugins,
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules,
  }
  configs.set(key, config)
  return config
}

/** ESLint keeps what it has worked out of a configuration by its identity. */
const configs = new Map<string, EslintLinter.Config>()

/** What the checker of types (type-lint.ts) or another rule says better. */
const notInTypeScript = ['no-undef', 'no-redeclare', 'no-unused-vars', 'no-unused-expressions', 'no-dupe-class-members']

const options: Readonly<Record<string, readonly unknown[]>> = {
  eqeqeq: ['always', { null: 'ignore' }],
  // `app = exports = module.exports` is how CommonJS is written.
  'no-global-assign': [{ exceptions: ['exports'] }],
  'array-callback-return': [{ checkForEach: false }],
  // `isLate && report()` calls something.
  'no-unused-expressions': [{ allowShortCircuit: true, allowTernary: true }],
  '@typescript-eslint/no-unused-expressions': [{ allowShortCircuit: true, allowTernary: true }],
  'no-constant-condition': [{ checkLoops: 'none' }],
  'no-unused-vars': [{ args: 'none', caughtErrors: 'none', ignoreRestSiblings: true, varsIgnorePattern: '^_' }],
  '@typescript-eslint/no-unused-vars': [
    { args: 'none', caughtErrors: 'none', ignoreRestSiblings: true, varsIgnorePattern: '^_' },
  ],
}

function rulesOf(language: 'javascript' | 'typescript'): EslintLinter.RulesRecord {
  const isTyped = language === 'typescript'
  const asked = Object.keys(eslintRules).filter(id =>
    isTyped ? !notInTypeScript.includes(id) : !id.startsWith('@typescript-eslint/'),
  )
  return Object.fromEntries([
    ...asked.map(id => [id, ['error', ...(options[id] ?? [])]]),
    ...Object.keys(ownRules).map(id => [`own/${id}`, 'error']),
  ])
}

function found({ ruleId, fatal, message, line, column, endLine, fix, suggestions }: EslintLinter.LintMessage): Found {
  const id = ruleId?.replace(/^own\//, '') ?? ''
  const rule = ownRules[id]?.rule ?? eslintRules[ruleId ?? '']
  if (fatal || !rule) return syntaxError(line ?? 1, column ?? 1, message)
  const [severity, category, why, advice] = rule
  const change = fix ?? (offered.has(id) && suggestions?.length === 1 ? suggestions[0]?.fix : undefined)
  const edits: Edit[] = change ? [{ start: change.range[0], end: change.range[1], text: change.text }] : []
  return {
    rule: id,
    severity,
    category,
    line,
    column,
    endLine: endLine ?? line,
    message: plain(message),
    why,
    fix: advice,
    edits,
  }
}

/** Rules whose only suggestion does what the advice says. */
const offered = new Set([
  'eqeqeq',
  'no-prototype-builtins',
  'no-promise-executor-return',
  'no-useless-catch',
  'use-isnan',
  'radix',
  'security/detect-new-buffer',
  'no-unsafe-negation',
  '@typescript-eslint/no-unsafe-declaration-merging',
])
