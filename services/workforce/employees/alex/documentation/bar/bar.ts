/** The reference of this project's own sources, and of a module of Python, beside what the parsers list themselves. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brief } from '../../../src/brief.ts'
import { checks } from '../checks.ts'
import { rules } from '../engine.ts'
import type { Input, Result } from '../result.ts'

export interface Score {
  readonly language: string
  readonly files: number
  /** Names that the parser lists. */
  readonly names: number
  readonly missed: number
  /** Of those, without the parameters that the parser lists, or in another order. */
  readonly other: number
  /** Signatures that the Markdown lacks. */
  readonly unwritten: number
  readonly notRead: Result['not_read']
}

/** What Python's own `ast` says of `shapes.py.txt`: names and parameters, as `record-ast.py` wrote them. */
export const shapes = {
  text: readFileSync(join(import.meta.dirname, 'shapes.py.txt'), 'utf8'),
  listed: JSON.parse(readFileSync(join(import.meta.dirname, 'shapes.ast.json'), 'utf8')) as [string, string][],
}

const project = join(import.meta.dirname, '../../../../../..')

const corpora: Readonly<Record<string, readonly string[]>> = {
  typescript: ['libs/*/src/**/*.ts'],
  proto: ['proto/millhand/**/*.proto', 'proto/third_party/**/*.proto'],
  openapi: ['gateway/openapi.golden.json'],
  python: ['services/*/employees/**/*.py', 'deploy/models/**/*.py', 'services/executor/**/fixtures/*.py'],
}

export async function measure(): Promise<Score[]> {
  const scores: Score[] = []
  for (const [language, patterns] of Object.entries(corpora)) {
    const paths = globSync([...patterns], { cwd: project, exclude: path => path.includes('node_modules') }).toSorted()
    const sum = { files: paths.length, names: 0, missed: 0, other: 0, unwritten: 0 }
    const notRead: Result['not_read'][number][] = []
    for (const path of paths) {
      const text = readFileSync(join(project, path), 'utf8')
      const asked = briefOf({ code: path.endsWith('.json') ? compact(text) : text, path })
      const answer = await rules(asked)
      const measured = new Map((await checks(asked, answer)).map(check => [check.id, check]))
      // Of a file without names there is nothing to check.
      const [names = none, listed = none, signatures = none] = [
        'names_of_the_parser',
        'signatures_of_the_parser',
        'signatures_in_the_text',
      ].map(id => measured.get(id))
      sum.names += Number(names.target)
      sum.missed += Number(names.target) - Number(names.value)
      sum.other += Number(listed.target) - Number(listed.value)
      sum.unwritten += Number(signatures.target) - Number(signatures.value)
      notRead.push(...answer.result.not_read)
    }
    scores.push({ language, ...sum, notRead })
  }
  return scores
}

const none = { value: 0, target: 0 }

/** With its blanks the description of the project's own API is longer than a brief may be. */
const compact = (json: string): string => JSON.stringify(JSON.parse(json))

const briefOf = (input: Input): Brief<Input> => ({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
