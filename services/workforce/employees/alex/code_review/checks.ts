import { applyPatch, parsePatch } from 'diff'
import type { SlowChecks } from '../../src/kind.ts'
import { languageOf } from '../language.ts'
import { linesOf } from '../lines.ts'
import { linterFor } from '../lint.ts'
import { type Source, sourcesOf } from '../source.ts'
import { type Change, changesOf } from './changes.ts'
import type { Input, Result } from './result.ts'

export const checks: SlowChecks<Input, Result> = async (brief, { result }) => {
  const sources = new Map(sourcesOf(brief).map(source => [source.path, source]))
  const changes = brief.input.diff === undefined ? [] : changesOf(brief.input.diff)
  const added = new Map<string, ReadonlySet<number>>()
  for (const change of changes) added.set(change.path, new Set([...change.added, ...(added.get(change.path) ?? [])]))
  for (const { path, isNew, pieces } of changes)
    if (isNew && !sources.has(path))
      sources.set(path, { path, language: languageOf(path), text: pieces[0]?.text ?? '' })
  const patches = result.findings.filter(({ patch }) => patch !== null)
  let sound = 0
  for (const { file, patch } of patches) {
    const source = sources.get(file)
    const after = source && patch !== null && parsePatch(patch).length === 1 ? applyPatch(source.text, patch) : false
    const isChanged = source !== undefined && after !== false && after !== source.text
    if (isChanged && (await parses({ ...source, text: after }))) sound++
  }
  const there = result.findings.filter(({ file, line }) => {
    const source = sources.get(file)
    const lines = source ? linesOf(source.text, source.language).length : Number.POSITIVE_INFINITY
    return line >= 1 && line <= lines && (added.get(file)?.has(line) ?? changes.length === 0)
  }).length
  const texts =
    changes.length > 0 ? changes.filter(hasLines) : [...sources.values()].filter(({ text }) => text.trim() !== '')
  const unread = new Set(result.not_read.map(({ file }) => file))
  const read = texts.filter(({ path }) => result.read.some(({ file }) => file === path) && !unread.has(path)).length
  return [
    { id: 'every_file_read', pass: read > 0 && read === texts.length, value: read, target: Math.max(1, texts.length) },
    { id: 'patches_apply_and_parse', pass: sound === patches.length, value: sound, target: patches.length },
    {
      id: 'findings_in_lines_given',
      pass: there === result.findings.length,
      value: there,
      target: result.findings.length,
    },
  ]
}

/** Whether it adds lines of text. */
const hasLines = ({ emptyReason }: Change) => emptyReason === undefined

/** A language's grammar is loaded with the first patch that needs it. */
async function parses({ language, path, text }: Source): Promise<boolean> {
  return language === undefined || (await linterFor(language, path)).parses(text)
}
