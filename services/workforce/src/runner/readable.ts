/**
 * What the process of a kind may read: the code of kinds, and the packages that they are made with. Real folders alone:
 * Node's permission is for names, and a name that is a link, with `..` behind it, leads anywhere.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

const PACKAGE = resolve(import.meta.dirname, '../..')
const WORKER = resolve(PACKAGE, '../../libs/worker')

/** Where Node looks for a package that another takes without saying so. They have links to packages of ours too. */
const OUTER = ['node_modules/.pnpm/node_modules', 'node_modules'].map(name => resolve(PACKAGE, '../..', name))

/** Beside the folder of the kind's employee. */
export const readableFolders: () => readonly string[] = once(() => [
  ...['src', 'employees', 'package.json'].map(name => join(PACKAGE, name)),
  ...['src', 'package.json'].map(name => join(WORKER, name)),
  ...packages(),
])

/** The packages from elsewhere that this one depends on, with all that those do. No package of ours: they have links. */
function packages(): string[] {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(PACKAGE, 'package.json'), 'utf8'),
  )
  const links = Object.entries(dependencies)
    .filter(([, version]) => !version.startsWith('workspace:'))
    .map(([name]) => join(PACKAGE, 'node_modules', name))
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

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
