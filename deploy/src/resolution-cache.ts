/**
 * Keeps where imports led, for later starts: to ask the file system again for each of 2,000 files takes a quarter of a
 * start. What is kept holds for one version of Node, for the packages that are installed, and for the package.json of each
 * package whose code is in this repository; when one of them changes, all is asked anew.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { findPackageJSON, type ResolveHookSync, registerHooks } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { COMPILED } from './compile-cache.ts'

export interface ResolutionPlaces {
  /** The folder of all modules and installed packages. */
  readonly root: string
  /** The file that is kept. Whoever can write it decides which files of the root a start runs. */
  readonly file: string
}

/** A module: its URL below the root, and how Node reads it; null where Node looks into the file. */
type Module = readonly [url: string, format: string | null]

/** As it is in the file. */
interface Kept {
  readonly node: string
  /** What the resolutions follow from: paths below the root, with the state of each file. */
  readonly follows: Record<string, string>
  /** The conditions under which packages choose what they export. */
  readonly conditions: string
  readonly modules: readonly Module[]
  /** By importing module and specifier: places in `modules`. */
  readonly imports: Record<string, Record<string, number>>
}

/** pnpm writes it when what is installed changes. */
const INSTALLED = 'node_modules/.pnpm/lock.yaml'

const repository = fileURLToPath(new URL('../..', import.meta.url))
let known: Resolutions | undefined

/**
 * From now on, imports of this thread are looked up in the file, and Node is asked for those that are not there. Where the
 * file can't be read or written, nothing is kept.
 */
export function cacheResolutions(
  { root, file }: ResolutionPlaces = { root: repository, file: join(COMPILED, 'resolutions.json') },
): void {
  const base = pathToFileURL(join(root, '/')).href
  const resolutions = new Resolutions(root, file)
  known = resolutions

  const resolve: ResolveHookSync = (specifier, context, next) => {
    const { parentURL, conditions } = context
    if (!parentURL?.startsWith(base) || specifier.startsWith('node:') || conditions.includes('require'))
      return next(specifier, context)
    const from = parentURL.slice(base.length)
    const module = resolutions.get(from, specifier, conditions.join())
    if (module !== undefined) return { url: base + module[0], format: module[1], shortCircuit: true }
    const found = next(specifier, context)
    if (found.url.startsWith(base))
      resolutions.add(from, specifier, [found.url.slice(base.length), found.format ?? null])
    return found
  }

  registerHooks({ resolve })
}

/** Writes what Node was asked for. To be called once all is imported and nothing is served yet. */
export function writeResolutions(): void {
  known?.write()
}

class Resolutions {
  readonly #root: string
  readonly #file: string
  #follows = new Map<string, string>()
  #conditions: string | undefined
  #imports = new Map<string, Map<string, Module>>()
  #isWritten = true

  constructor(root: string, file: string) {
    this.#root = root
    this.#file = file
    try {
      this.#read(JSON.parse(readFileSync(file, 'utf8')))
    } catch {}
  }

  #read({ node, follows, conditions, modules, imports }: Kept): void {
    if (node !== process.version) return
    if (Object.entries(follows).some(([path, state]) => this.#stateOf(path) !== state)) return
    for (const [from, places] of Object.entries(imports)) {
      const to = Object.entries(places).map(([specifier, place]) => [specifier, modules[place] as Module] as const)
      this.#imports.set(from, new Map(to))
    }
    this.#follows = new Map(Object.entries(follows))
    this.#conditions = conditions
  }

  get(from: string, specifier: string, conditions: string): Module | undefined {
    if (conditions !== this.#conditions) {
      this.#conditions = conditions
      this.#imports.clear()
      this.#follows.clear()
    }
    return this.#imports.get(from)?.get(specifier)
  }

  add(from: string, specifier: string, to: Module): void {
    const imports = this.#imports.get(from) ?? new Map<string, Module>()
    this.#imports.set(from, imports.set(specifier, to))
    this.#isWritten = false
    this.#follow(INSTALLED)
    const [url] = to
    // What is installed changes with the list of it alone.
    if (url.includes('node_modules/')) return
    const described = findPackageJSON(pathToFileURL(join(this.#root, decodeURIComponent(url))))
    if (described !== undefined) this.#follow(relative(this.#root, described))
  }

  #follow(path: string): void {
    if (!this.#follows.has(path)) this.#follows.set(path, this.#stateOf(path))
  }

  #stateOf(path: string): string {
    const found = statSync(join(this.#root, path), { throwIfNoEntry: false })
    return found === undefined ? 'missing' : `${found.mtimeMs} ${found.size}`
  }

  write(): void {
    if (this.#isWritten) return
    this.#isWritten = true
    const written = `${this.#file}.${process.pid}`
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(written, JSON.stringify(this.#kept()))
      renameSync(written, this.#file)
    } catch {}
  }

  #kept(): Kept {
    const modules: Module[] = []
    const places = new Map<string, number>()
    const placeOf = (module: Module) => {
      const place = places.get(module[0]) ?? modules.push(module) - 1
      places.set(module[0], place)
      return place
    }
    const imports = [...this.#imports].map(([from, to]) => {
      const named = [...to].map(([specifier, module]) => [specifier, placeOf(module)] as const)
      return [from, Object.fromEntries(named)] as const
    })
    return {
      node: process.version,
      follows: Object.fromEntries(this.#follows),
      conditions: this.#conditions ?? '',
      modules,
      imports: Object.fromEntries(imports),
    }
  }
}
