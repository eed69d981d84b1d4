/** The part of running tests that stands inside the sandbox. Its text is evaluated there: it may name nothing from outside. */
import type { Assertions } from './assertions.ts'
import type { Result } from './outcome.ts'

export type Report = ({ readonly kind: 'result' } & Result) | { readonly kind: 'done' }

type Body = () => unknown

/** Loads the test files, in which tests register themselves, then runs those in their order. */
export function suite(
  { assert, expect }: Assertions,
  sources: Readonly<Record<string, string>>,
  tests: readonly string[],
  report: (told: string) => void,
): void {
  const { stringify } = JSON
  const say = (told: Report) => report(stringify(told))
  const faultOf = (error: unknown): string =>
    error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`

  type Group = { name: string; before: Body[]; after: Body[]; beforeEach: Body[]; afterEach: Body[]; over: Group[] }
  const group = (name: string, over: Group[]): Group => ({
    name,
    over,
    before: [],
    after: [],
    beforeEach: [],
    afterEach: [],
  })
  const registered: { path: string; name: string; body: Body; groups: Group[] }[] = []
  const begun = new Set<Group>()
  let inside: Group[] = [group('', [])]
  /** The file of tests that is being loaded; undefined while what it loads is: code has no tests of its own. */
  let loading: string | undefined

  const bodyOf = (given: readonly unknown[]) => given.find(one => typeof one === 'function') as Body | undefined
  const test = (name: unknown, ...rest: unknown[]) => {
    const body = bodyOf([name, ...rest])
    const names = inside.map(one => one.name).filter(one => one !== '')
    if (body && loading !== undefined)
      registered.push({
        path: loading,
        name: [...names, String(name)].join(' › ').slice(0, 200),
        body,
        groups: [...inside],
      })
  }
  const describe = (name: unknown, ...rest: unknown[]) => {
    const outer = inside
    inside = [...outer, group(String(name), outer)]
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

  const timers: { at: number; order: number; run: Body }[] = []
  let now = 0
  let order = 0
  const nothing = () => {}
  for (const part of [every, groups, testing, assert, expect]) Object.freeze(part)
  for (const [name, value] of Object.entries(testing)) Object.defineProperty(globalThis, name, { value })
  Object.assign(globalThis, {
    // Nobody waits: the next timer is always due.
    setTimeout: (run: (...given: unknown[]) => unknown, ms = 0, ...given: unknown[]) =>
      timers.push({ at: now + Number(ms), order: order++, run: () => run(...given) }) && order,
    clearTimeout: (id: number) => {
      const at = timers.findIndex(timer => timer.order + 1 === id)
      if (at >= 0) timers.splice(at, 1)
    },
    queueMicrotask: (run: Body) => void Promise.resolve().then(run),
    console: { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing },
  })

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
    const before = loading
    loading = tests.includes(path) ? path : undefined
    try {
      run(module, module.exports, requireFrom)
    } finally {
      loading = before
    }
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

  /** Waits for a body, and for the timers that it waits for. */
  const settled = async (body: Body) => {
    let isOver = false
    const ended = (async () => body())().finally(() => {
      isOver = true
    })
    ended.catch(nothing)
    for (let turn = 0; !isOver; turn++) {
      for (let job = 0; job < 20 && !isOver; job++) await undefined
      timers.sort((a, b) => a.at - b.at || a.order - b.order)
      const timer = isOver ? undefined : timers.shift()
      if (timer) {
        now = Math.max(now, timer.at)
        timer.run()
      } else if (!isOver && turn > 1_000) throw new Error('it waits for what never comes')
    }
    await ended
  }

  const runOne = async ({ body, groups: own }: (typeof registered)[number]) => {
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
    for (const one of registered) {
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
