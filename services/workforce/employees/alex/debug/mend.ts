/** A small change of the file that failed, given only where the linter or the checker of types that saw the fault no longer sees it, and nothing new. */
import { applied, type Edit, patchOf } from '../edit.ts'
import type { Found, Linter } from '../finding.ts'
import { offsetIn } from '../lines.ts'
import { linterFor, mostPatches } from '../lint.ts'
import type { Source } from '../source.ts'
import { nearestName } from '../spelling.ts'
import { typeLinter } from '../type-lint.ts'
import { TooLong } from '../within.ts'

export interface Mended {
  readonly file: string
  readonly patch: string
  readonly rule: string
  readonly why: string
  /** Findings of that rule on the line, before and after. */
  readonly before: number
  readonly after: number
}

interface Seen {
  readonly near: readonly Found[]
  readonly mended: Mended | undefined
  /** Whether the checker of types came to its end. */
  readonly isWhole: boolean
}

/**
 * What the linter says near the failing line, and where it proves no change the checker of types, which sees the other sources
 * too; a change where one is proven. Rejects where the source is too much for them.
 */
export async function mend(source: Source, line: number, sources: readonly Source[] = [source]): Promise<Seen> {
  if (!source.language) return { near: [], mended: undefined, isWhole: true }
  const linted = mendBy(await linterFor(source.language, source.path), source, line)
  const checker = linted.mended ? undefined : typeLinter(source, sources)
  if (!checker) return { ...linted, isWhole: true }
  try {
    const checked = mendBy(checker, source, line)
    return { near: [...linted.near, ...checked.near], mended: checked.mended, isWhole: true }
  } catch (error) {
    if (error instanceof TooLong) return { ...linted, isWhole: false }
    throw error
  }
}

function mendBy(linter: Linter, source: Source, line: number): Omit<Seen, 'isWhole'> {
  const all = linter.lint(source.text)
  const near = all
    .filter(found => found.category === 'bug' && found.line <= line && found.line >= line - REACH)
    .toSorted((a, b) => b.line - a.line)
  const wrong = near.filter(({ severity }) => severity === 'error')
  for (const found of wrong.slice(0, mostTries(source.text))) {
    const mended = proven(source, linter, all, found)
    if (mended) return { near, mended }
  }
  return { near, mended: undefined }
}

/** Each change tried takes as long as reading the file once more. */
const mostTries = (text: string): number => Math.max(1, Math.min(MOST_TRIES, mostPatches(text)))

const MOST_TRIES = 8

/** So many lines above the failing one a fault may stand that made it fail. */
const REACH = 6

function proven(source: Source, linter: Linter, all: readonly Found[], found: Found): Mended | undefined {
  const edits = found.edits.length > 0 ? found.edits : editsFor(source, found)
  const text = edits.length > 0 ? applied(source.text, edits) : undefined
  if (text === undefined || text === source.text) return undefined
  const left = linter.lint(text)
  const count = (list: readonly Found[]) =>
    list.filter(({ rule, line }) => rule === found.rule && line === found.line).length
  const [before, after] = [count(all), count(left)]
  if (after >= before || left.length >= all.length) return undefined
  return {
    file: source.path,
    patch: patchOf(source.path, source.text, text),
    rule: found.rule,
    why: found.why,
    before,
    after,
  }
}

/** Changes that a linter does not offer, since it can't know that the program failed here. */
function editsFor({ text, language }: Source, { rule, line, column, message }: Found): readonly Edit[] {
  const start = offsetIn(text, language)(line, column)
  const name = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(text.slice(start, start + 100))?.[0]
  if (name === undefined) return []
  const told = /Did you mean (?:to write )?'([\p{L}_$][\p{L}\p{N}_$]*)'\?$/u.exec(message)?.[1]
  if (rule.startsWith('TS') && told !== undefined) return [{ start, end: start + name.length, text: told }]
  if (rule === 'no-undef' || rule === 'F821' || rule === 'TS2304') {
    const meant = nearestName(name, text)
    return meant === undefined ? [] : [{ start, end: start + name.length, text: meant }]
  }
  if (rule === 'no-const-assign') {
    const declared = new RegExp(`\\bconst(?= ${name.replaceAll('$', '\\$')} = )`).exec(text)
    return declared ? [{ start: declared.index, end: declared.index + 'const'.length, text: 'let' }] : []
  }
  return []
}
