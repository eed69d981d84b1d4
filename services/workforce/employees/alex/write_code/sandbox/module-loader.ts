/**
 * Loads CommonJS modules of `sources`, each once, by path. `modules`: what `require` finds by name; `whileLoading` is to
 * evaluate each. The text is evaluated in the sandbox: it may name nothing from outside.
 */
export function moduleLoader(
  sources: Readonly<Record<string, string>>,
  modules: Readonly<Record<string, unknown>>,
  whileLoading: (path: string, evaluate: () => void) => void,
): (path: string) => unknown {
  const loaded: Record<string, { exports: unknown }> = {}
  const load = (path: string): unknown => {
    const known = loaded[path]
    if (known) return known.exports
    const module: { exports: unknown } = { exports: {} }
    loaded[path] = module
    const requireFrom = (asked: string) => {
      const plain = asked.replace(/^node:/, '').replace(/^assert\/strict$/, 'assert')
      const own = modules[asked] ?? modules[`node:${plain}`]
      if (own !== undefined) return own
      return load(resolve(path, asked))
    }
    const run = new Function('module', 'exports', 'require', sources[path] as string)
    whileLoading(path, () => run(module, module.exports, requireFrom))
    return module.exports
  }
  const resolve = (from: string, asked: string): string => {
    const parts = from.split('/').slice(0, -1)
    for (const part of asked.split('/')) {
      if (part === '..') parts.pop()
      else if (part !== '.') parts.push(part)
    }
    const whole = parts.join('/')
    const stem = whole.replace(/\.[cm]?jsx?$/, '')
    const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json', '/index.ts', '/index.js']
    const found = [whole, ...endings.map(ending => stem + ending)].find(path => path in sources)
    if (!asked.startsWith('.') || found === undefined) throw new Error(`there is no module ${asked} here`)
    return found
  }
  return load
}
