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
    return next(new URL(exports[`.${path}`] ?? path.slice(1), folder).href, context)
  },
})
