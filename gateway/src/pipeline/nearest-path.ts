import { nearest } from '@millhand/api/nearest'
import { routeName } from '../route-name.ts'

/**
 * Of a path that no endpoint has, the one that was meant, such as `/v1/tasks/{id}`: without `/v1`, with slashes too
 * many, or with one word misspelt. Undefined where none is near. `patterns` are as `find-my-way` has them.
 */
export function createNearestPath(patterns: readonly string[]): (path: string) => string | undefined {
  const routes = [...new Set(patterns)].map(pattern => ({ pattern, parts: partsOf(pattern) }))

  return path => {
    // An empty part is first read as an id that is missing: `/v1/tasks//cancel`.
    const all = path.split('/')
    const whole = all.slice(all.findIndex(isNamed), all.findLastIndex(isNamed) + 1)
    const wanted = [whole, partsOf(path)].flatMap(given => (given[0] === 'v1' ? [given] : [given, ['v1', ...given]]))
    for (const slips of [0, 1]) {
      for (const parts of wanted) {
        const route = routes.find(known => slipsBetween(known.parts, parts) === slips)
        if (route !== undefined) return routeName(route.pattern)
      }
    }
    return undefined
  }
}

const partsOf = (path: string): string[] => path.split('/').filter(isNamed)
const isNamed = (part: string): boolean => part !== ''

/** Parts that are misspelt; infinite where a part is another word, or where there are more parts or fewer. */
function slipsBetween(pattern: readonly string[], given: readonly string[]): number {
  if (pattern.length !== given.length) return Number.POSITIVE_INFINITY
  let slips = 0
  for (const [i, part] of pattern.entries()) {
    const word = given[i] as string
    if (part.startsWith(':') || part === word) continue
    if (nearest(word, [part]) === undefined) return Number.POSITIVE_INFINITY
    slips += 1
  }
  return slips
}
