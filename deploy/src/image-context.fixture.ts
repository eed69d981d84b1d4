/** What Docker sends of a folder to build an image: https://docs.docker.com/build/concepts/context/#dockerignore-files */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a file is sent, by the lines of a `.dockerignore`: the last that matches it, or a folder above it, decides. */
export function imageContext(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => ({ isSent: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }))
  return path => {
    const names = path.split('/')
    const all = names.map((_, n) => names.slice(0, n + 1).join('/'))
    return rules.findLast(({ pattern }) => all.some(each => pattern.test(each)))?.isSent ?? true
  }
}

/** As Go's `filepath.Match` has it, and `**` for any number of folders. */
function patternOf(glob: string): RegExp {
  if (/[[\\]/.test(glob)) throw new Error(`this reader knows no ${glob}`)
  const pattern = glob.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, part => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    return part === '?' ? '[^/]' : part.replaceAll(/[^\w/]/g, '\\$&')
  })
  return new RegExp(`^${pattern}$`)
}

/** All files of a folder but those of Git and of packages, by their paths in it. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(path => !/(^|\/)(\.git|node_modules)\//.test(path))
}

/** Those of the files in which a text stands. */
export const holding = (folder: string, paths: readonly string[], text: string): string[] =>
  paths.filter(path => readFileSync(join(folder, path), 'latin1').includes(text))
