/** What R's `forecast` says: recorded for all windows in reference.tsv, and asked again. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { missing, printed } from '@millhand/test-servers'
import type { Said } from './said.ts'
import type { Window } from './windows.ts'

export const METHODS = ['ets', 'thetaf', 'auto.arima'] as const
type Method = (typeof METHODS)[number]

/** What R says, and how long it took for it. */
export type Reference = (window: Window, method: Method) => Said & { readonly seconds: number }

/** Why what asks R is skipped: false where R and its package are there, and under CI, where nothing is. */
export const referenceMissing: string | false = missing(
  'needs R and its package forecast (Debian: r-cran-forecast)',
  () => printed('Rscript', ['--vanilla', '-e', 'library(forecast)']) !== undefined,
)

export const recorded = (): Reference => read(readFileSync(new URL('reference.tsv', import.meta.url), 'utf8'))

/** Asks R itself; a window takes it from a tenth of a second to half an hour. */
export const asked = (windows: readonly Window[]): Reference => read(run(windows))

export interface SideBySide {
  readonly reference: Reference
  /** How many windows R was asked now; of the others it stands what is recorded. */
  readonly asked: number
}

/** R asked now of each window that took it at most so many seconds when it was recorded; of none where R is missing. */
export function sideBySide(windows: readonly Window[], mostSeconds: number): SideBySide {
  const before = recorded()
  const seconds = (window: Window) => METHODS.reduce((sum, method) => sum + before(window, method).seconds, 0)
  const now = referenceMissing ? [] : windows.filter(window => seconds(window) <= mostSeconds)
  if (now.length === 0) return { reference: before, asked: 0 }
  const [own, said] = [new Set(now), asked(now)]
  return {
    reference: (window, method) => (own.has(window) ? said(window, method) : before(window, method)),
    asked: now.length,
  }
}

/** The lines of reference.tsv. */
export function run(windows: readonly Window[]): string {
  const lines = windows.map(({ id, period, horizon, known }) => [id, period, horizon, known.join(' ')].join('\t'))
  return execFileSync('Rscript', ['--vanilla', fileURLToPath(new URL('reference.R', import.meta.url))], {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

function read(text: string): Reference {
  const said = new Map<string, ReturnType<Reference>>()
  for (const line of text.split('\n')) {
    const [id = '', method = '', seconds, points = '', lower = '', upper = ''] = line.split('\t')
    const numbers = (part: string) => part.split(' ').map(Number)
    said.set(`${id}\t${method}`, {
      points: numbers(points),
      lower: numbers(lower),
      upper: numbers(upper),
      seconds: Number(seconds),
    })
  }
  return ({ id }, method) => {
    const found = said.get(`${id}\t${method}`)
    if (found === undefined) throw new Error(`R has said nothing of ${id} by ${method}: run record.ts.`)
    return found
  }
}
