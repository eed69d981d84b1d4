/**
 * What a child process may read: code of ours, and the packages that it is made with. Of packages of ours the sources alone:
 * Node's permission is for names, and a name in which a link stands, with `..` behind it, leads anywhere.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Where Node looks for a package that another takes without saying so. They have links to packages of ours too. */
const OUTER = ['node_modules/.pnpm/node_modules', 'node_modules'].map(name => join(ROOT, name))

/**
 * Packages of ours, by their folders from the root (`libs/child-process`), with the packages that they use: by name, or all that they
 * depend on.
 */
export type Code = Readonly<Record<string, readonly string[] | 'all'>>

export const readableCode = (code: Code): readonly string[] => {
  const key = JSON.stringify(code)
  const known = readable.get(key)
  if (known) return known
  const found = [...Object.keys(code).flatMap(sources), ...packages(code)]
  readable.set(key, found)
  return found
}

/** The same as whole folders: sources, and what packages are linked to. */
export const visibleCode = (code: Code): string[] =>
  Object.keys(code).flatMap(name =>
    [...sources(name), join(ROOT, name, 'node_modules')].filter(path => existsSync(path)),
  )

const readable = new Map<string, readonly string[]>()

const sources = (folder: string) => ['src', 'package.json'].map(name => join(ROOT, folder, name))

/** The packages from elsewhere that these depend on, with all that those do. */
function packages(code: Code): string[] {
  const links = Object.entries(code).flatMap(linksOf)
  const found = new Set<string>()
  const left = links.map(stored)
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    if (found.has(folder)) continue
    found.add(folder)
    const inner = join(folder, 'node_modules')
    for (const link of namesIn(inner)) {
      left.push(stored(link))
      // Also where it is not: Node takes a refusal there for a fault, and nothing for nothing.
      const outer = OUTER.map(root => root + link.slice(inner.length))
      links.push(...outer)
      left.push(...outer.filter(path => existsSync(path)).map(stored))
    }
  }
  // With the star the link itself is readable too where another's name begins with its own: `ajv`, `ajv-formats`.
  return [...new Set(links.map(link => `${link}*`)), ...found]
}

function linksOf([name, used]: [string, Code[string]]): string[] {
  const folder = join(ROOT, name)
  return (used === 'all' ? dependenciesOf(folder) : used).map(used => join(folder, 'node_modules', used))
}

function dependenciesOf(folder: string): string[] {
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return Object.entries(dependencies)
    .filter(([, version]) => !version.startsWith('workspace:'))
    .map(([name]) => name)
}

/** The folder that pnpm keeps a package in: beside it, as links, what it depends on. */
function stored(link: string): string {
  const real = realpathSync(link)
  const at = real.lastIndexOf(`${sep}node_modules${sep}`)
  if (at < 0) throw new Error(`${link} leads to a package of ours`)
  return real.slice(0, at)
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => !name.startsWith('.'))
    .flatMap(name => {
      const path = join(folder, name)
      return name.startsWith('@') ? readdirSync(path).map(inner => join(path, inner)) : path
    })
}
