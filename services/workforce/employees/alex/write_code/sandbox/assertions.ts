/** What tests assert with, inside the sandbox. Its text is evaluated there: it may name nothing from outside. */

export interface Assertions {
  readonly assert: object
  readonly expect: (actual: unknown) => object
}

type Checks = ReturnType<typeof checks>

/** How values compare, what was thrown, and how a demand that does not hold is. */
export function checks() {
  type Any = Record<string, unknown>
  const isObject = (value: unknown): value is Any => typeof value === 'object' && value !== null
  const shown = (value: unknown): string => {
    try {
      if (typeof value === 'string' || isObject(value)) return (JSON.stringify(value) ?? '').slice(0, 120)
      return String(value)
    } catch {
      return 'a value'
    }
  }
  const same = (a: unknown, b: unknown, pairs: [unknown, unknown][] = []): boolean => {
    if (Object.is(a, b)) return true
    if (!isObject(a) || !isObject(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
    if (pairs.some(([one, other]) => one === a && other === b)) return true
    const deeper: [unknown, unknown][] = [...pairs, [a, b]]
    if (a instanceof Date || a instanceof RegExp) return String(a) === String(b) && Number(a) === Number(b)
    if (a instanceof Error) return a.name === b.name && a.message === b.message
    if (a instanceof Map || a instanceof Set) return same([...a], [...(b as unknown as typeof a)], deeper)
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && same(a[key], b[key], deeper))
    )
  }
  const demand = (holds: unknown, said: string, given?: unknown) => {
    if (holds) return
    if (given instanceof Error) throw given
    throw Object.assign(new Error(typeof given === 'string' ? given : said), { name: 'AssertionError' })
  }
  const fits = (error: unknown, wanted: unknown): boolean => {
    const message = isObject(error) ? String(error.message) : String(error)
    if (wanted === undefined || typeof wanted === 'string') return message.includes(wanted ?? '')
    if (wanted instanceof RegExp) return wanted.test(message)
    if (typeof wanted === 'function')
      return wanted.prototype !== undefined && error instanceof wanted
        ? true
        : isCheck(wanted) && wanted(error) === true
    return isObject(wanted) && Object.keys(wanted).every(key => isObject(error) && wantedAt(error[key], wanted[key]))
  }
  const isCheck = (value: object): value is (error: unknown) => unknown => !/^class\b/.test(String(value))
  const wantedAt = (value: unknown, wanted: unknown) =>
    wanted instanceof RegExp ? wanted.test(String(value)) : same(value, wanted)
  const thrown = (run: () => unknown): { error: unknown } | undefined => {
    try {
      run()
    } catch (error) {
      return { error }
    }
    return undefined
  }
  const rejected = async (what: unknown): Promise<{ error: unknown } | undefined> => {
    try {
      await (typeof what === 'function' ? what() : what)
    } catch (error) {
      return { error }
    }
    return undefined
  }
  return { isObject, shown, same, demand, fits, thrown, rejected }
}

/** The usual part of node:assert. */
export function nodeAssert({ shown, same, demand, fits, thrown, rejected }: Checks): object {
  const equal = (a: unknown, b: unknown, said?: unknown) =>
    demand(Object.is(a, b), `${shown(a)} is not ${shown(b)}`, said)
  const unequal = (a: unknown, b: unknown, said?: unknown) => demand(!Object.is(a, b), `it is ${shown(a)}`, said)
  const alike = (a: unknown, b: unknown, said?: unknown) => demand(same(a, b), `${shown(a)} is not ${shown(b)}`, said)
  const unlike = (a: unknown, b: unknown, said?: unknown) => demand(!same(a, b), `it is ${shown(a)}`, said)
  const throws = (error: { error: unknown } | undefined, wanted?: unknown) => {
    demand(error, 'nothing was thrown', typeof wanted === 'string' ? wanted : undefined)
    if (error && typeof wanted !== 'string')
      demand(fits(error.error, wanted), `something else was thrown: ${shown(String(error.error))}`)
  }
  const ok = (value: unknown, said?: unknown) => demand(value, `${shown(value)} is not true`, said)
  const assert = Object.assign(ok.bind(undefined), {
    ok,
    equal,
    strictEqual: equal,
    notEqual: unequal,
    notStrictEqual: unequal,
    deepEqual: alike,
    deepStrictEqual: alike,
    notDeepEqual: unlike,
    notDeepStrictEqual: unlike,
    throws: (run: () => unknown, wanted?: unknown) => throws(thrown(run), wanted),
    doesNotThrow: (run: () => unknown) => void run(),
    rejects: async (what: unknown, wanted?: unknown) => throws(await rejected(what), wanted),
    doesNotReject: async (what: unknown) => void (await (typeof what === 'function' ? what() : what)),
    match: (text: string, wanted: RegExp, said?: unknown) =>
      demand(wanted.test(text), `${shown(text)} does not match ${wanted}`, said),
    doesNotMatch: (text: string, wanted: RegExp, said?: unknown) =>
      demand(!wanted.test(text), `${shown(text)} matches ${wanted}`, said),
    fail: (said?: unknown) => demand(false, 'it failed', said),
  })
  return Object.assign(assert, { default: assert, strict: assert })
}

/** What Jest and Vitest call `expect`. */
export function jestExpect({ isObject, shown, same, demand, fits, thrown, rejected }: Checks): Assertions['expect'] {
  const matchers = (actual: unknown, negated: boolean) => {
    const hold = (holds: boolean, wanted: unknown) =>
      demand(holds !== negated, `${shown(actual)} is ${negated ? '' : 'not '}as wanted: ${shown(wanted)}`)
    const has = (wanted: unknown) =>
      typeof actual === 'string' ? actual.includes(String(wanted)) : [...(actual as Iterable<unknown>)].includes(wanted)
    const number = actual as number
    const isThrown = (error: { error: unknown } | undefined, wanted: unknown) =>
      error !== undefined && fits(error.error, wanted)
    return {
      toBe: (wanted: unknown) => hold(Object.is(actual, wanted), wanted),
      toEqual: (wanted: unknown) => hold(same(actual, wanted), wanted),
      toStrictEqual: (wanted: unknown) => hold(same(actual, wanted), wanted),
      toBeTruthy: () => hold(Boolean(actual), 'truthy'),
      toBeFalsy: () => hold(!actual, 'falsy'),
      toBeNull: () => hold(actual === null, null),
      toBeUndefined: () => hold(actual === undefined, undefined),
      toBeDefined: () => hold(actual !== undefined, 'defined'),
      toBeNaN: () => hold(Number.isNaN(actual), 'NaN'),
      toBeInstanceOf: (wanted: new () => unknown) => hold(actual instanceof wanted, wanted.name),
      toBeCloseTo: (wanted: number, digits = 2) => hold(Math.abs(number - wanted) < 10 ** -digits / 2, wanted),
      toBeGreaterThan: (wanted: number) => hold(number > wanted, wanted),
      toBeGreaterThanOrEqual: (wanted: number) => hold(number >= wanted, wanted),
      toBeLessThan: (wanted: number) => hold(number < wanted, wanted),
      toBeLessThanOrEqual: (wanted: number) => hold(number <= wanted, wanted),
      toContain: (wanted: unknown) => hold(has(wanted), wanted),
      toContainEqual: (wanted: unknown) =>
        hold(
          [...(actual as unknown[])].some(one => same(one, wanted)),
          wanted,
        ),
      toHaveLength: (wanted: number) => hold((actual as { length: number }).length === wanted, wanted),
      toHaveProperty: (wanted: string) => hold(isObject(actual) && wanted in actual, wanted),
      toMatch: (wanted: RegExp | string) =>
        hold(typeof wanted === 'string' ? String(actual).includes(wanted) : wanted.test(String(actual)), wanted),
      toThrow: (wanted?: unknown) => hold(isThrown(thrown(actual as () => unknown), wanted), wanted),
    }
  }
  const settled = (actual: unknown) => ({
    get resolves() {
      return later(async () => (typeof actual === 'function' ? actual() : actual))
    },
    get rejects() {
      return later(async () => {
        const error = await rejected(actual)
        demand(error, 'nothing was thrown')
        const { error: inner } = error as { error: unknown }
        return inner
      }, true)
    },
  })
  const later = (value: () => Promise<unknown>, isError = false) =>
    new Proxy(
      {},
      {
        get: (_, name: string) => async (wanted: unknown) => {
          const actual = await value()
          const of =
            isError && name === 'toThrow'
              ? () => {
                  throw actual
                }
              : actual
          const all = matchers(of, false) as Record<string, (wanted: unknown) => void>
          all[name]?.(wanted)
        },
      },
    )
  return actual =>
    Object.defineProperties(
      { ...matchers(actual, false), not: matchers(actual, true) },
      Object.getOwnPropertyDescriptors(settled(actual)),
    )
}
