import type { Check } from '../../src/answer.ts'
import type { SlowChecks } from '../../src/kind.ts'
import { drawnWell } from '../picture/drawn-well.ts'
import { unpackFor } from '../type/east-asian.ts'
import { readPage } from './page/read-page.ts'
import type { Input, Result } from './result.ts'
import { shownAs } from './shown.ts'

export const checks: SlowChecks<Input, Result> = async ({ input }, { result, artifacts = [] }) => {
  await unpackFor(input)
  const html = artifacts.find(({ name }) => name === 'page.html')?.bytes ?? new Uint8Array()
  const page = readPage(new TextDecoder().decode(html))
  const unseen = textsIn(shownAs(input).input.blocks).filter(text => !page.texts.has(text)).length
  return [
    ...drawnWell(artifacts, result.pictures),
    none('no_html_errors', page.errors),
    none('no_html_scripts', page.scripts),
    none('no_html_outside_references', page.outside),
    none('no_html_repeated_ids', page.repeatedIds),
    none('no_html_fields_without_label', page.unnamedFields),
    { id: 'html_landmarks', pass: page.landmarks.includes('main'), value: page.landmarks.join(' '), target: 'main' },
    {
      id: 'html_first_headings',
      pass: page.levels.filter(level => level === 1).length === 1,
      value: page.levels.filter(level => level === 1).length,
      target: 1,
    },
    none('no_html_skipped_headings', page.levels.filter((level, at) => level > (page.levels[at - 1] ?? 0) + 1).length),
    none('no_texts_missing_on_the_page', unseen),
  ]
}

const none = (id: string, value: number): Check => ({ id, pass: value === 0, value, target: 0 })

/** Of what a description holds, what its reader has to find again; what names a choice is no text. */
function textsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return value === '' || key === 'type' ? [] : [value]
  // What a chart says is in its picture.
  if (typeof value !== 'object' || value === null || key === 'chart') return []
  if (Array.isArray(value)) return value.flatMap(each => textsIn(each))
  return Object.entries(value).flatMap(([inner, each]) => textsIn(each, inner))
}
