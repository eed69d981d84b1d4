/** Python, read by ruff in WebAssembly. Comments that switch rules off are not seen here: known-safe.ts judges those at a line. */
import { createRequire } from 'node:module'
import type { Diagnostic, Workspace } from '@astral-sh/ruff-wasm-nodejs'
import type { Edit } from './edit.ts'
import { type Found, type Linter, plain, syntaxError } from './finding.ts'
import { offsetIn } from './lines.ts'
import { ruleTable } from './rule-table.ts'

const require = createRequire(import.meta.url)
const ruffRules = ruleTable('ruff-rules.tsv')

export const ruff: Linter = {
  lint: text => {
    const offset = offsetIn(text, 'python')
    const isMasked = orders.test(text)
    return [...check(text), ...changedInLoops(text)].map(diagnostic => {
      const one = found(diagnostic, offset, text)
      // A change that writes a comment anew might write one that was made unreadable.
      return isMasked && one.edits.some(({ text: instead }) => instead.includes('#')) ? { ...one, edits: [] } : one
    })
  },
  parses: text => check(text).every(({ code }) => ruffRules[code ?? ''] !== undefined),
}

let workspace: Workspace | undefined
/** Of ruff's previews one rule is asked, apart: in its previews ruff names all rules by other names. */
let previews: Workspace | undefined

const CHANGED_IN_ITS_LOOP = 'B909'

function changedInLoops(text: string): Diagnostic[] {
  if (!/\bfor\b/.test(text) || !/\bdel\b|\.(?:remove|pop|popitem|discard|clear|add)\(/.test(text)) return []
  previews ??= createWorkspace([CHANGED_IN_ITS_LOOP], true)
  try {
    const seen: Diagnostic[] = previews.check(withoutOrders(previews, withoutViews(text)))
    return seen
      .filter(({ code, start_location }) => code === 'loop-iterator-mutation' && changesSize(text, start_location))
      .map(diagnostic => ({
        ...diagnostic,
        code: CHANGED_IN_ITS_LOOP,
        message: 'A collection is changed in the loop over it.',
      }))
  } catch (error) {
    previews = undefined
    throw error
  }
}

/** The rule knows a dictionary in `for name in names:`, and not in `for name in names.keys():`, where the text keeps its length. */
const withoutViews = (text: string): string =>
  text.replaceAll(
    /\.(?:keys|values|items)\(\)(?=:)(?<=^[ \t]{0,200}(?:async )?for [^:\n]{1,200} in [\w.]{1,200}\(\))/gm,
    view => ' '.repeat(view.length),
  )

/**
 * Not where a value is replaced: by an assignment, or by `pop` and `insert`. Nor where a list grows: the loop goes over what was added
 * too, and many mean that.
 */
function changesSize(text: string, { row, column }: Diagnostic['start_location']): boolean {
  const start = offsetIn(text, 'python')(row, column)
  const [first = '', next = ''] = text.slice(start, start + 500).split('\n')
  return /^del\b|^[^()]{0,200}\.(?:remove|pop|popitem|discard|clear|add)\(/.test(first) && !/\.insert\(/.test(next)
}

function check(text: string): Diagnostic[] {
  workspace ??= createWorkspace(Object.keys(ruffRules).filter(rule => rule !== CHANGED_IN_ITS_LOOP))
  try {
    return workspace.check(withoutOrders(workspace, text))
  } catch (error) {
    // What overflowed the stack may have left it in any state.
    workspace = undefined
    throw error
  }
}

/** What orders the linter about, made unreadable to it: in comments alone, as elsewhere the same words are code or data. */
function withoutOrders(workspace: Workspace, text: string): string {
  if (!orders.test(text)) return text
  const bytes = Buffer.from(text)
  for (const [, from, to] of workspace.tokens(text).matchAll(/^ *Comment (\d+)\.\.(\d+)/gm)) {
    const comment = bytes.toString('utf8', Number(from), Number(to))
    bytes.write(
      comment.replaceAll(
        new RegExp(orders, 'gi'),
        (_, before: string, word: string) => before + '-'.repeat(word.length),
      ),
      Number(from),
    )
  }
  return bytes.toString()
}

/** `# noqa`, `# ruff: noqa`, `# ruff: disable[…]`, `# flake8: noqa`. */
const orders = /(#\s*)(noqa|ruff|flake8)\b/i

/** Loaded with the first source that needs it. */
function createWorkspace(select: readonly string[], preview = false): Workspace {
  const { PositionEncoding, Workspace } = require('@astral-sh/ruff-wasm-nodejs')
  return new Workspace({ 'target-version': 'py313', preview, lint: { select } }, PositionEncoding.Utf16)
}

function found(
  { code, message, start_location, end_location, fix }: Diagnostic,
  offset: ReturnType<typeof offsetIn>,
  text: string,
): Found {
  const rule = ruffRules[code ?? '']
  const { row: line, column } = start_location
  if (!rule || code === null) return syntaxError(line, column, message)
  const [severity, category, why, advice] = rule
  return {
    rule: code,
    severity,
    category,
    line,
    column,
    endLine: end_location.row,
    message: plain(message),
    why,
    fix: advice,
    edits:
      code === BARE_EXCEPT
        ? narrowed(text, offset(line, column))
        : (fix?.edits ?? []).map(({ location, end_location: end, content }) => ({
            start: offset(location.row, location.column),
            end: offset(end.row, end.column),
            text: content ?? '',
          })),
  }
}

const BARE_EXCEPT = 'E722'

/** `except Exception:` lets through what ends the program, and ruff offers nothing. */
function narrowed(text: string, start: number): Edit[] {
  const end = start + 'except'.length
  return /^except\s*:/.test(text.slice(start, start + 20)) ? [{ start: end, end, text: ' Exception' }] : []
}
