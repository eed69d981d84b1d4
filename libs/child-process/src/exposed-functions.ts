/** The functions that this Node still exposes to a locked process, of its modules and of `process`. */
import { createRequire } from 'node:module'

// biome-ignore lint/suspicious/noExplicitAny: it looks at everything.
type Any = any

/** Sorted lines, `module.function`. To be called in a process that is locked. */
export function exposedFunctions(): string[] {
  const require = createRequire(import.meta.url)
  const { builtinModules } = require('node:module')
  const names = [...builtinModules, 'sqlite', 'test', 'sea', 'test/reporters'].filter(
    name => !/^_|^internal\//.test(name),
  )
  const lines = [...new Set<string>(names.map((name: string) => name.replace('node:', '')))].flatMap(name => {
    const module: Any = require(`node:${name}`)
    return functionsOf(module).map(each => `${name}.${each}`)
  })
  return [...new Set([...lines, ...globals()])].toSorted()
}

const globals = () => Object.getOwnPropertyNames(globalThis).map(name => `globalThis.${name}`)

function functionsOf(owner: Any, depth = 0): string[] {
  return Object.getOwnPropertyNames(owner).flatMap(name => {
    const { value, get } = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor
    if (typeof value === 'function') return value.name === 'closed' ? [] : name
    if (get !== undefined) return name
    const isDeep = depth === 0 && typeof value === 'object' && value !== null && name !== 'env'
    return isDeep ? functionsOf(value, 1).map(inner => `${name}.${inner}`) : []
  })
}
