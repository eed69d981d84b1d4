import { applyPatch, parsePatch } from 'diff'
import type { Checks } from '../../../src/kind.ts'
import type { Linter } from '../finding.ts'
import { type Language, languageOf, languages } from '../language.ts'
import { linterFor } from '../lint.ts'
import { type Source, sourcesOf } from '../source.ts'
import { changesOf } from './changes.ts'
import type { Input, Result } from './result.ts'

/** Grammars are loaded beforehand: a check answers at once. */
const grammars = new Map<Language, Linter>()
for (const language of languages) {
  const linter = linterFor(language, '')
  if (linter instanceof Promise) grammars.set(language, await linter)
}

function parses({ language, path, text }: Source): boolean {
  const linter = language && (grammars.get(language) ?? (linterFor(language, path) as Linter))
  return !linter || linter.parses(text)
}

export const checks: Checks<Input, Result> = (brief, { result }) => {
  const sources = new Map(sourcesOf(brief).map(source => [source.path, source]))
  const changes = brief.input.diff === undefined ? [] : changesOf(brief.input.diff)
  const added = new Map(changes.map(change => [change.path, change.added]))
  for (const { path, isNew, pieces } of changes)
    if (isNew && !sources.has(path))
      sources.set(path, { path, language: languageOf(path), text: pieces[0]?.text ?? '' })
  const patches = result.findings.filter(({ patch }) => patch !== null)
  const sound = patches.filter(({ file, patch }) => {
    const source = sources.get(file)
    const after = source && patch !== null && parsePatch(patch).length === 1 ? applyPatch(source.text, patch) : false
    return source !== undefined && after !== false && parses({ ...source, text: after })
  }).length
  const there = result.findings.filter(({ file, line }) => {
    const lines = sources.get(file)?.text.split('\n').length ?? Number.POSITIVE_INFINITY
    return line >= 1 && line <= lines && (added.get(file)?.has(line) ?? changes.length === 0)
  }).length
  return [
    { id: 'patches_apply_and_parse', pass: sound === patches.length, value: sound, target: patches.length },
    {
      id: 'findings_in_lines_given',
      pass: there === result.findings.length,
      value: there,
      target: result.findings.length,
    },
  ]
}
