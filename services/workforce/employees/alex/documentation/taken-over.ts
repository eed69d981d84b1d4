/** `export * from './x.ts'` where that file is given: its names are names of the one that takes them over. */
import { posix } from 'node:path'
import type { Entry, Module } from './reference.ts'

/** A few hundred files that take each other over would have each name a few hundred times: further ones are left where they are. */
export const MOST_TAKEN = 5000

export function withTakenOver(modules: readonly Module[]): Module[] {
  const byPath = new Map(modules.map(module => [module.file, module]))
  let left = MOST_TAKEN
  return modules.map(module => {
    const own = new Set(module.entries.map(({ name }) => name))
    const seen = new Set([module])
    const taken: Entry[] = []
    const follow = ({ file, entries }: Module, line: number): void => {
      for (const { name: from } of entries) {
        const asked = /^\* from ['"](\..*)['"]$/.exec(from)?.[1]
        const next = asked === undefined ? undefined : found(byPath, posix.join(posix.dirname(file), asked))
        if (!next || seen.has(next)) continue
        seen.add(next)
        const at = file === module.file ? (entries.find(({ name }) => name === from)?.line ?? line) : line
        for (const entry of next.entries) {
          if (entry.name === 'default' || entry.name.startsWith('* from ') || own.has(entry.name) || left === 0)
            continue
          own.add(entry.name)
          taken.push(standingAt(at, entry))
          left--
        }
        follow(next, at)
      }
    }
    follow(module, 1)
    return taken.length === 0 ? module : { ...module, entries: [...module.entries, ...taken] }
  })
}

const standingAt = (line: number, entry: Entry): Entry => ({
  ...entry,
  line,
  members: entry.members.map(member => standingAt(line, member)),
})

/** As a bundler finds a module: with its ending, with that of its source, or as the index of a folder. */
const found = (byPath: ReadonlyMap<string, Module>, asked: string): Module | undefined =>
  [asked, asked.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'), ...ENDINGS.map(ending => asked + ending)]
    .map(path => byPath.get(path))
    .find(module => module !== undefined)

const ENDINGS = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '/index.ts', '/index.tsx', '/index.js']
