import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute, root } from './execute.ts'
import type { Verdict } from './verdict.ts'

/** Words that say nothing of what is inside (style, "How it reads", 1). */
const EMPTY_NAMES = /(^|\/)(utils?|common|helpers?|core|shared|misc|managers?)(\/|\.[a-z]+$)/
/** A test that is switched off, or alone switched on. */
const SWITCHED = /\b(test|it|describe|suite)\.(only|skip|todo)\(|\b(only|skip|todo): (true|'|")/
/** A limit on elapsed time, in milliseconds: of an assertion, or of a test. */
const TIME_LIMIT = /(?:\bnow\(\) - \w+|\btook(?:Ms)?) <=? ([\d_]+)|\btimeout: ([\d_]+)/
/** A limit is there for what hangs; a full machine takes many times what a quiet one does. */
const LEAST_LIMIT_MS = 50_000
const UNFINISHED = /\b(TODO|FIXME|XXX)\b/
/** V8 13.6 may compile a group with modifiers with the flags of another part of the pattern (nodejs/node#60030). */
const MODIFIERS = /\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/
const LONG = 300

/** Holds every file of the project to what names and contents must not be. */
export async function fileFaults(): Promise<Verdict> {
  const { output } = await execute(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], '.')
  const files = output.split('\n').filter(file => file !== '' && !/(^|\/)(gen|third_party)\//.test(file))
  const faults: string[] = []
  for (const file of files) {
    if (EMPTY_NAMES.test(file)) faults.push(`${file}: the name says nothing of what is inside`)
    if (!/\.(ts|tsx|mjs|proto|sh|py)$/.test(file)) continue
    const text = read(file)
    if (text === undefined) continue
    const lines = text.split('\n')
    const isTest = /\.(test|contract)\.ts$/.test(file)
    for (const [at, line] of lines.entries()) {
      if (isTest && SWITCHED.test(line)) faults.push(`${file}:${at + 1}: a test is switched off, or alone switched on`)
      if (isTest && isTight(line))
        faults.push(`${file}:${at + 1}: depends on how fast the machine is (docs/testing.md)`)
      if (file.endsWith('.ts') && hasModifiers(line))
        faults.push(`${file}:${at + 1}: the engine miscompiles a group with modifiers`)
      if (file !== 'test/check/src/files.ts' && UNFINISHED.test(line))
        faults.push(`${file}:${at + 1}: said to be unfinished`)
    }
    if (!isTest && lines.length > LONG + 1)
      faults.push(`${file} has ${lines.length - 1} lines, more than ${LONG}: it holds two ideas`)
  }
  return { faults: faults.join('\n') }
}

/** Whether a line of a test asserts, or allows, less time than a busy machine may need. */
export function isTight(line: string): boolean {
  const [, asserted, allowed] = TIME_LIMIT.exec(line) ?? []
  const limit = asserted ?? allowed
  return limit !== undefined && Number(limit.replaceAll('_', '')) < LEAST_LIMIT_MS
}

/** Whether a regular expression in the line has a group with modifiers. */
export const hasModifiers = (line: string): boolean => MODIFIERS.test(line)

/** Undefined for a file that git still lists and that is gone. */
function read(file: string): string | undefined {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return undefined
  }
}
