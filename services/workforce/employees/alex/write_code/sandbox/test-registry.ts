/** Tests as their files register them. The text is evaluated in the sandbox: it may name nothing from outside. */
import type { Assertions } from './assertions.ts'

type Body = () => unknown

export interface Group {
  readonly name: string
  readonly before: Body[]
  readonly after: Body[]
  readonly beforeEach: Body[]
  readonly afterEach: Body[]
}

export interface RegisteredTest {
  readonly path: string
  readonly name: string
  readonly body: Body
  readonly groups: readonly Group[]
}

interface TestRegistry {
  /** In their order. */
  readonly registered: readonly RegisteredTest[]
  /** What tests find as globals. */
  readonly testing: Readonly<Record<string, unknown>>
  /** What they find under the names of modules. */
  readonly modules: Readonly<Record<string, unknown>>
  /** The file of tests that is being loaded; undefined while what it loads is: code has no tests of its own. */
  loading: string | undefined
}

export function testRegistry({ assert, expect }: Assertions): TestRegistry {
  const group = (name: string): Group => ({ name, before: [], after: [], beforeEach: [], afterEach: [] })
  const registered: RegisteredTest[] = []
  let inside: readonly Group[] = [group('')]

  const bodyOf = (given: readonly unknown[]) => given.find(one => typeof one === 'function') as Body | undefined
  const test = (name: unknown, ...rest: unknown[]) => {
    const body = bodyOf([name, ...rest])
    const names = inside.map(one => one.name).filter(one => one !== '')
    if (body && registry.loading !== undefined)
      registered.push({
        path: registry.loading,
        name: [...names, String(name)].join(' › ').slice(0, 200),
        body,
        groups: inside,
      })
  }
  const describe = (name: unknown, ...rest: unknown[]) => {
    const outer = inside
    inside = [...outer, group(String(name))]
    bodyOf([name, ...rest])?.()
    inside = outer
  }
  const hook = (when: 'before' | 'after' | 'beforeEach' | 'afterEach') => (body: Body) => {
    inside[inside.length - 1]?.[when].push(body)
  }
  // Each is a test too where somebody only or skips: what was given is to pass.
  const every = Object.assign(test, { only: test, skip: () => {}, todo: () => {} })
  const groups = Object.assign(describe, { only: describe, skip: () => {} })
  const testing = {
    test: every,
    it: every,
    describe: groups,
    suite: groups,
    before: hook('before'),
    beforeAll: hook('before'),
    after: hook('after'),
    afterAll: hook('after'),
    beforeEach: hook('beforeEach'),
    afterEach: hook('afterEach'),
    expect,
    assert,
  }
  const modules: Record<string, unknown> = {
    'node:test': Object.assign(every, testing, { default: every }),
    'node:assert': assert,
    vitest: testing,
    '@jest/globals': testing,
  }
  for (const part of [every, groups, testing, assert, expect]) Object.freeze(part)
  const registry: TestRegistry = { registered, testing, modules, loading: undefined }
  return registry
}
