/** The Python package `vaderSentiment` and its labelled texts, for tests and the benchmark: `.ci/run` installs them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'

const environment = resolve(import.meta.dirname, '../../../../../../.venv')
const python = join(environment, 'bin/python')
const script = join(import.meta.dirname, 'reference.py')

/** Why a test that compares must be skipped; under CI nothing skips. */
export const referenceMissing: string | false =
  process.env.CI !== 'true' &&
  !isInstalled() &&
  'needs vaderSentiment and its source in .venv: python3 -m venv .venv && .venv/bin/pip install -r .ci/requirements.txt && ' +
    '.venv/bin/pip download --no-deps --no-binary vaderSentiment -d .venv/sources vaderSentiment==3.3.2'

/** As the package scores a text, in the order compound, positive, neutral, negative. */
export type ReferenceScore = readonly [number, number, number, number]

export const referenceScores = (texts: readonly string[]): ReferenceScore[] => ask('score', JSON.stringify(texts))

interface LabelledText {
  /** The mean of what at least 20 people said, from -4 to 4. */
  readonly rating: number
  readonly text: string
}

/** By the name of the set: tweets, product reviews, film reviews, editorials. */
export function labelledSets(): Map<string, LabelledText[]> {
  const sets: Record<string, [number, string][]> = ask('sets', '')
  return new Map(
    Object.entries(sets).map(([name, rows]) => [name, rows.map(([rating, text]) => ({ rating, text }))] as const),
  )
}

/** What `convert.py` makes of the package. */
export const converted = (what: 'lexicon' | 'words'): string =>
  execFileSync(python, [join(import.meta.dirname, 'convert.py'), what], { encoding: 'utf8' })

function ask(what: string, input: string) {
  return JSON.parse(execFileSync(python, [script, what], { input, encoding: 'utf8', maxBuffer: 1 << 28 }))
}

function isInstalled(): boolean {
  const { status } = spawnSync(python, ['-c', 'import vaderSentiment'], { stdio: 'ignore' })
  return status === 0 && globSync('sources/vader[sS]entiment-*.tar.gz', { cwd: environment }).length > 0
}
