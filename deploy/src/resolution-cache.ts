/**
 * Caches module resolutions between starts: to resolve 3,800 imports takes Node a quarter of a start. The cache is discarded
 * when something else is installed, or when the package.json of a package whose code is in this repository changes.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { findPackageJSON, getCompileCacheDir, type ResolveHookSync, registerHooks } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface ResolutionCacheOptions {
  /** The folder of all modules and installed packages. */
  readonly root: string
  /** The file of the cache. Whoever can write it decides which code a start runs, so it lies beside the code. */
  readonly file: string
}

/** A resolved module: its URL relative to the root, and its format; null where Node detects it from the source. */
type Module = readonly [url: string, format: string | null]

interface CacheFile {
  /** Paths of the files that the resolutions depend on, relative to the root, with their versions. */
  readonly dependencies: Record<string, string>
  readonly modules: readonly Module[]
  /** By importing module and specifier: an index into `modules`. */
  readonly imports: Record<string, Record<string, number>>
}

/** Written by pnpm when what is installed changes. */
const INSTALLED = 'node_modules/.pnpm/lock.yaml'
/** With these, other code takes part in resolving. */
const OTHER_RESOLVERS = /^(--import|--require|-r|--loader|--experimental-loader|--conditions|-C|--preserve-symlinks)/

let current: { write(): void } | undefined

/**
 * Imports of this thread are answered from the cache from now on, and by Node where the cache lacks them. Does nothing
 * without a compile cache, whose folder it shares, without pnpm's list of what is installed, and where an option of Node
 * names other code that resolves imports.
 */
export function cacheResolutions(options: ResolutionCacheOptions | undefined = besideCompiledCode()): void {
  const nodeOptions = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')]
  if (options === undefined || nodeOptions.some(option => OTHER_RESOLVERS.test(option))) return
  if (versionOf(join(options.root, INSTALLED)) === undefined) return
  const base = pathToFileURL(join(options.root, '/')).href
  const cache = new ResolutionCache(options, base)

  const resolve: ResolveHookSync = (specifier, context, next) => {
    const { parentURL, conditions } = context
    if (!parentURL?.startsWith(base) || specifier.startsWith('node:') || conditions.includes('require'))
      return next(specifier, context)
    const importer = parentURL.slice(base.length)
    const cached = cache.get(importer, specifier)
    if (cached !== undefined) return { url: base + cached[0], format: cached[1], shortCircuit: true }
    const resolved = next(specifier, context)
    if (resolved.url.startsWith(base))
      cache.set(importer, specifier, [resolved.url.slice(base.length), resolved.format ?? null])
    return resolved
  }

  const hooks = registerHooks({ resolve })
  current = {
    write() {
      hooks.deregister()
      cache.write()
    },
  }
}

/** Writes the cache and ends it: later imports are resolved by Node. To be called once all is imported. */
export function writeResolutions(): void {
  current?.write()
  current = undefined
}

function besideCompiledCode(): ResolutionCacheOptions | undefined {
  const folder = getCompileCacheDir()
  if (folder === undefined) return undefined
  return { root: fileURLToPath(new URL('../..', import.meta.url)), file: join(folder, 'resolutions.json') }
}

class ResolutionCache {
  readonly #root: string
  readonly #file: string
  readonly #base: string
  #dependencies = new Map<string, string | undefined>()
  #imports = new Map<string, Map<string, Module>>()
  #hasNew = false

  constructor({ root, file }: ResolutionCacheOptions, base: string) {
    this.#root = root
    this.#file = file
    this.#base = base
    try {
      this.#read(JSON.parse(readFileSync(file, 'utf8')))
    } catch {}
    this.#dependOn(join(root, INSTALLED))
  }

  #read({ dependencies, modules, imports }: CacheFile): void {
    const isCurrent = ([path, version]: [string, string]) => versionOf(join(this.#root, path)) === version
    if (!Object.entries(dependencies).every(isCurrent)) return
    for (const [importer, indexes] of Object.entries(imports)) {
      const resolved = Object.entries(indexes).map(([name, index]) => [name, modules[index] as Module] as const)
      this.#imports.set(importer, new Map(resolved))
    }
    this.#dependencies = new Map(Object.entries(dependencies))
  }

  get(importer: string, specifier: string): Module | undefined {
    return this.#imports.get(importer)?.get(specifier)
  }

  set(importer: string, specifier: string, module: Module): void {
    const imports = this.#imports.get(importer) ?? new Map<string, Module>()
    this.#imports.set(importer, imports.set(specifier, module))
    this.#hasNew = true
    const [url] = module
    // What is installed changes with pnpm's list alone.
    if (!url.includes('node_modules/')) this.#dependOn(findPackageJSON('.', this.#base + url))
  }

  #dependOn(path: string | undefined): void {
    if (path === undefined) return
    const name = relative(this.#root, path)
    if (!this.#dependencies.has(name)) this.#dependencies.set(name, versionOf(path))
  }

  write(): void {
    if (!this.#hasNew) return
    const written = `${this.#file}.${process.pid}`
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(written, JSON.stringify(this.#content()))
      renameSync(written, this.#file)
    } catch {
      try {
        rmSync(written, { force: true })
      } catch {}
    }
  }

  #content(): CacheFile {
    const modules: Module[] = []
    const indexes = new Map<string, number>()
    const indexOf = (module: Module) => {
      const index = indexes.get(module[0]) ?? modules.push(module) - 1
      indexes.set(module[0], index)
      return index
    }
    const imports = [...this.#imports].map(([importer, resolved]) => {
      const named = [...resolved].map(([specifier, module]) => [specifier, indexOf(module)] as const)
      return [importer, Object.fromEntries(named)] as const
    })
    const dependencies = [...this.#dependencies].flatMap(([path, version]) => (version ? [[path, version]] : []))
    return { dependencies: Object.fromEntries(dependencies), modules, imports: Object.fromEntries(imports) }
  }
}

/** Another one after each change; undefined where the file is missing. */
function versionOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.mtimeMs} ${found.size}`
}
