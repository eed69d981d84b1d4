/**
 * Loaded before a child process's own code: packages of ours are found by their real folders. The links to them in
 * `node_modules` have links of their own, and Node's permission model is for names: who may read one may read them all.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const LIBS = new URL('../../', import.meta.url)

registerHooks({
  resolve(specifier, context, next) {
    const [, name, path = ''] = /^@millhand\/([\w-]+)(\/.+)?$/.exec(specifier) ?? []
    if (name === undefined) return next(specifier, context)
    const folder = new URL(`${name}/`, LIBS)
    const { exports }: { exports: Record<string, string> } = JSON.parse(
      readFileSync(new URL('package.json', folder), 'utf8'),
    )
    return next(new URL(exports[`.${path}`] ?? byPattern(exports, `.${path}`) ?? path.slice(1), folder).href, context)
  },
})

/** An export whose name ends in a star stands for all that begin with what is before it. */
function byPattern(exports: Record<string, string>, path: string): string | undefined {
  const found = Object.entries(exports).find(([name]) => name.endsWith('*') && path.startsWith(name.slice(0, -1)))
  return found && found[1].slice(0, -1) + path.slice(found[0].length - 1)
}
