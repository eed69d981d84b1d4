/** What real programs said when they failed, as `record.sh` has run them: the line that fails is marked in each. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brief } from '../../../src/brief.ts'
import { rules } from '../engine.ts'
import type { Input, Result } from '../result.ts'

export interface Case {
  readonly name: string
  readonly right: boolean
  readonly result: Result
}

/** Every trace, with the code and without: right where both times the marked line is the failing frame. */
export async function measure(): Promise<Case[]> {
  const cases: Case[] = []
  for (const name of readdirSync(join(import.meta.dirname, 'cases'))) {
    const { trace, files, file, line } = caseIn(name)
    const { result } = await rules(briefOf({ trace, files }))
    const alone = await rules(briefOf({ trace }))
    const right = [result, alone.result].every(
      ({ failing_frame: frame }) => frame?.line === line && frame.owner === 'own' && frame.file.endsWith(file),
    )
    cases.push({ name, right, result })
  }
  return cases
}

function caseIn(name: string): { trace: string; files: { path: string; text: string }[]; file: string; line: number } {
  const folder = join(import.meta.dirname, 'cases', name)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.txt') && path !== 'trace.txt')
    .map(path => ({ path: path.slice(0, -'.txt'.length), text: readFileSync(join(folder, path), 'utf8') }))
  const marked = files.find(({ text }) => marker.test(text))
  const line = (marked?.text.split('\n').findIndex(text => marker.test(text)) ?? -1) + 1
  return { trace: readFileSync(join(folder, 'trace.txt'), 'utf8'), files, file: marked?.path ?? '', line }
}

const marker = /(?:\/\/|#) !! fails$/m

const briefOf = (input: Input): Brief<Input> => ({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
