/** Forty faults of known kinds, planted in otherwise plain code, and plain code without any. Both are written for this. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brief } from '../../../src/brief.ts'
import { checks } from '../checks.ts'
import { rules } from '../engine.ts'
import type { Input, Result } from '../result.ts'

export interface Planted {
  readonly file: string
  readonly line: number
  readonly kind: string
  /** What is to be said of it: another finding in the same line does not count. */
  readonly rule: string
}

export interface Score {
  readonly planted: readonly Planted[]
  readonly missed: readonly Planted[]
  readonly patches: number
  /** Patches that leave their file unreadable. */
  readonly broken: number
  /** Findings that are no notes, in code without a fault. */
  readonly falseAlarms: Result['findings']
  readonly cleanFiles: number
}

export async function measure(): Promise<Score> {
  const marked = filesIn('planted')
  const planted = marked.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const [, kind, rule] = line.match(/(?:\/\/|#)!! (.*) \((\S+)\)$/) ?? []
      return kind === undefined || rule === undefined ? [] : { file: path, line: at + 1, kind, rule }
    }),
  )
  const files = marked.map(({ path, text }) => ({ path, text: text.replaceAll(marker, '') }))
  const asked = briefOf({ files })
  const answer = await rules(asked)
  const { findings } = answer.result
  const missed = planted.filter(
    ({ file, line, rule }) =>
      !findings.some(found => found.file === file && found.line === line && found.rule === rule),
  )
  const sound = (await checks(asked, answer)).find(({ id }) => id === 'patches_apply_and_parse')
  const patches = findings.filter(({ patch }) => patch !== null).length
  const clean = filesIn('clean')
  const calm = await rules(briefOf({ files: clean }))
  const falseAlarms = calm.result.findings.filter(({ severity }) => severity !== 'info')
  return { planted, missed, patches, broken: patches - Number(sound?.value), falseAlarms, cleanFiles: clean.length }
}

/** At the end of a line: what is wrong with it, and the rule that says so. */
const marker = / *(?:\/\/|#)!! (.*)$/gm

const filesIn = (folder: string): { path: string; text: string }[] =>
  readdirSync(join(import.meta.dirname, folder))
    .toSorted()
    .map(name => ({
      path: name.replace(/\.txt$/, ''),
      text: readFileSync(join(import.meta.dirname, folder, name), 'utf8'),
    }))

const briefOf = (input: Input): Brief<Input> => ({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
