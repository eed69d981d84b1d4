/** The files of a run that took longest. */
import { relative } from 'node:path'
import { root } from './test-files.ts'

const SHOWN = 10

/** Lines of text: seconds and file, the longest first. */
export function slowest(took: readonly { readonly file: string; readonly ms: number }[]): string {
  const lines = took
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SHOWN)
    .map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${relative(root, file)}\n`)
  return `the slowest files:\n${lines.join('')}`
}
