/**
 * Node's module loader asks the file system without its permission model: whether a module is found tells which paths exist. Here
 * it looks for modules where this process may read, and nowhere else.
 */
import { dirname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { close, closed, fix, refused } from './disabled-functions.ts'

// biome-ignore lint/suspicious/noExplicitAny: what it replaces has no types.
type Any = any

const hasPermission = process.permission?.has.bind(process.permission)
const isReadable = (path: string): boolean => hasPermission === undefined || hasPermission('fs.read', path)

export function closeResolution(module: Any): void {
  const { _findPath: find, registerHooks } = module
  // Both `require` and what it is made of end here.
  fix(module, '_findPath', (request: unknown, folders: unknown, isMain: unknown) => {
    const name = String(request)
    if (isAbsolute(name)) return isReadable(resolve(name)) ? find(name, [''], isMain) : false
    const from = Array.isArray(folders) ? folders.map(String).filter(isInside(name)) : []
    return from.length > 0 && find(name, from, isMain)
  })
  registerHooks({
    resolve(specifier: string, context: { parentURL?: string }, next: (specifier: string, context: object) => unknown) {
      if (!mayResolve(specifier, context.parentURL)) throw refused('modules there')
      return next(specifier, context)
    },
  })
  fix(module, '_stat', closed('_stat'))
  close(module, OF_MODULE)
}

/** What only loads files when it is called. */
export function closeLoading(module: Any): void {
  close(module, ['registerHooks', '_initPaths', '_preloadModules', 'runMain'])
}

const OF_MODULE = [
  'register',
  'enableCompileCache',
  'flushCompileCache',
  'getCompileCacheDir',
  'findPackageJSON',
  'findSourceMap',
  'setSourceMapsSupport',
  '_debug',
  '_readPackage',
]

/** A folder is looked into where what is asked for could be read in it, or lies in a package that can. */
const isInside = (name: string) => (folder: string) => isReadable(resolve(folder, name))

function mayResolve(specifier: string, parent: string | undefined): boolean {
  if (specifier.startsWith('node:') || /^(?:data|https?):/.test(specifier)) return true
  const isPath = /^(?:\.{0,2}\/|file:)/.test(specifier)
  if (parent === undefined || !parent.startsWith('file:')) return !isPath || isReadableUrl(specifier, undefined)
  return isPath ? isReadableUrl(specifier, parent) : isReadable(dirname(fileURLToPath(parent)))
}

function isReadableUrl(specifier: string, parent: string | undefined): boolean {
  try {
    return isReadable(fileURLToPath(new URL(specifier, parent ?? 'file:///')))
  } catch {
    return true // It is no path; Node says what is wrong with it.
  }
}
