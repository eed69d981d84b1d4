/** Tools that several suites use, and why a test without one is skipped. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { hasVersion, missing, printed } from './missing.ts'

/** The Python environment of the tests: `.ci/requirements.txt` lists what is in it. */
const environment = resolve(import.meta.dirname, '../../../.venv/bin')

export const python = join(environment, 'python')

/** `PATH` as in a terminal in which that environment is active. */
export const pythonPath = `${environment}${delimiter}${process.env.PATH}`

/** Why tests skip that need modules of the environment. */
export const pythonMissing = (...modules: readonly string[]): string | false =>
  missing(
    'needs what .ci/requirements.txt lists in .venv: python3 -m venv .venv && .venv/bin/pip install -r .ci/requirements.txt',
    () => printed(python, ['-c', modules.map(module => `import ${module}`).join('\n')]) !== undefined,
  )

/** A browser, by its path; a name that is found nowhere where there is none. */
export const chromium: string =
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => ['chromium', 'chromium-browser', 'google-chrome'].map(name => join(folder, name)))
    .find(isExecutable) ?? 'chromium'

export const chromiumMissing = (): string | false =>
  missing('needs Chromium (Debian: chromium)', () => hasVersion(printed(chromium, ['--version']), 100))

/** Documents call `curl`, with `--fail-with-body` where the tests call it. */
export const curlMissing = (): string | false =>
  missing('needs curl 7.76 or later (Debian: curl)', () => hasVersion(printed('curl', ['--version']), 7, 76))

export const composeMissing = (): string | false =>
  missing('needs docker-compose 1.29 or later (Debian: docker-compose)', () =>
    hasVersion(printed('docker-compose', ['version']), 1, 29),
  )

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
