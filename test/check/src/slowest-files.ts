/** A reporter for Node's test runner: at the end of a run, the files that took longest. */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

const SHOWN = 10

/** Of tests that run in the process of the runner itself (`--test-isolation=none`) nothing is known by file. */
export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const took: { readonly file: string; readonly ms: number }[] = []
  for await (const event of events) {
    if (event.type !== 'test:summary' || event.data.file === undefined) continue
    took.push({ file: relative(process.cwd(), event.data.file), ms: event.data.duration_ms })
  }
  if (took.length === 0) return
  took.sort((a, b) => b.ms - a.ms)
  const lines = took.slice(0, SHOWN).map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${file}\n`)
  yield `the slowest files:\n${lines.join('')}`
}
