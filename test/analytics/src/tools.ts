/** The consumers' tools, and why a suite without them skips. Under CI nothing skips: it fails instead. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { repository } from '@millhand/test-e2e/server'

const python = join(repository, '.venv/bin')

export const kcatMissing = missing('kcat', ['-V'], 'needs kcat (Debian: kcat)')
export const pythonMissing = missing(
  join(python, 'python'),
  ['-c', 'import confluent_kafka'],
  'needs what .ci/requirements.txt lists in .venv: python3 -m venv .venv && .venv/bin/pip install -r .ci/requirements.txt',
)
/** As in a terminal in which that environment is active. */
export const path = `${python}:${process.env.PATH}`

function missing(command: string, words: readonly string[], reason: string): string | false {
  if (process.env.CI === 'true') return false
  try {
    execFileSync(command, words, { stdio: 'ignore' })
    return false
  } catch {
    return reason
  }
}
