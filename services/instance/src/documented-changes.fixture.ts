import { readFileSync } from 'node:fs'

const page = new URL('../../../docs/instances.md', import.meta.url)

/** The changes of status in the table of docs/instances.md: `pending running`. */
export function documentedChanges(): ReadonlySet<string> {
  const rows = [...readFileSync(page, 'utf8').matchAll(/^\| ([^|]*`) \| ([^|]*`) \| [^|]+ \|$/gm)]
  return new Set(rows.flatMap(([, from, to]) => words(from).flatMap(one => words(to).map(other => `${one} ${other}`))))
}

const words = (cell: string | undefined) => [...(cell ?? '').matchAll(/`(\w+)`/g)].map(([, word]) => `${word}`)
