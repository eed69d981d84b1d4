/** The part of running tests that stands inside the sandbox. Its text is evaluated there: it may name nothing from outside. */
import type { Assertions } from './assertions.ts'
import type { moduleLoader } from './module-loader.ts'
import type { Result } from './outcome.ts'
import type { Group, RegisteredTest, testRegistry } from './test-registry.ts'
import type { virtualTime } from './virtual-time.ts'

export type Report = ({ readonly kind: 'result' } & Result) | { readonly kind: 'done' }

interface Parts {
  readonly testRegistry: typeof testRegistry
  readonly moduleLoader: typeof moduleLoader
  readonly virtualTime: typeof virtualTime
}

/** Loads the test files, in which tests register themselves, then runs those in their order. */
export function suite(
  parts: Parts,
  assertions: Assertions,
  sources: Readonly<Record<string, string>>,
  tests: readonly string[],
  report: (told: string) => void,
): void {
  const { stringify } = JSON
  const say = (told: Report) => report(stringify(told))
  const faultOf = (error: unknown): string =>
    error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`

  const registry = parts.testRegistry(assertions)
  const { timers, settled } = parts.virtualTime()
  const nothing = () => {}
  for (const [name, value] of Object.entries(registry.testing)) Object.defineProperty(globalThis, name, { value })
  Object.assign(globalThis, timers, {
    console: { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing },
  })

  const load = parts.moduleLoader(sources, registry.modules, (path, evaluate) => {
    const before = registry.loading
    registry.loading = tests.includes(path) ? path : undefined
    try {
      evaluate()
    } finally {
      registry.loading = before
    }
  })

  const begun = new Set<Group>()
  const runOne = async ({ body, groups: own }: RegisteredTest) => {
    for (const one of own) {
      if (begun.has(one)) continue
      begun.add(one)
      for (const before of one.before) await settled(before)
    }
    for (const one of own) for (const before of one.beforeEach) await settled(before)
    try {
      await settled(body)
    } finally {
      for (const one of own.toReversed()) for (const after of one.afterEach) await settled(after)
    }
  }

  const all = async () => {
    for (const path of tests) {
      try {
        load(path)
      } catch (error) {
        say({ kind: 'result', path, name: path, fault: faultOf(error) })
      }
    }
    for (const one of registry.registered) {
      let fault = ''
      try {
        await runOne(one)
      } catch (error) {
        fault = faultOf(error).slice(0, 500)
      }
      say({ kind: 'result', path: one.path, name: one.name, fault })
    }
    say({ kind: 'done' })
  }
  void all()
}
