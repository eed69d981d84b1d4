import { applyPatch } from 'diff'
import type { Checks } from '../../src/kind.ts'
import { linesOf } from '../lines.ts'
import { sourcesOf } from '../source.ts'
import type { Input, Result } from './result.ts'
import { shownLine } from './shown-line.ts'

export const checks: Checks<Input, Result> = (brief, { result }) => {
  const { failing_frame: failed, change, code } = result
  const sources = sourcesOf(brief)
  const name = failed?.file.split(/[/\\]/).at(-1) ?? ''
  const isThere = name !== '' && brief.input.trace.includes(name)
  const where = failed === null ? 'no frame' : isThere ? 'yes' : 'no'
  const files = sources.map(({ text, language }) => linesOf(text, language))
  const isFrom = (lines: readonly string[]) =>
    code.filter(({ line, text }) => line <= lines.length && shownLine(lines[line - 1] ?? '') === text).length
  const quoted = files.reduce((most, lines) => Math.max(most, isFrom(lines)), 0)
  const source = sources.find(({ path }) => path === change?.file)
  const applies = change !== null && source !== undefined && applyPatch(source.text, change.patch) !== false
  return [
    { id: 'frame_is_in_the_trace', pass: isThere, value: where, target: 'yes' },
    { id: 'code_is_as_given', pass: quoted === code.length, value: quoted, target: code.length },
    ...(change === null ? [] : [{ id: 'change_applies', pass: applies, value: applies ? 'yes' : 'no', target: 'yes' }]),
  ]
}
