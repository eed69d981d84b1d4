/** Makes the language what it is for good, so that code can't have its tests measured by another. Its text is evaluated in the sandbox. */

/** Math, Date, the console and timers stay open: tests replace them, and nothing is measured by them. */
export function seal(): void {
  const seen = new Set<unknown>()
  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) || typeof value === 'function'

  const sealed = (owner: unknown): void => {
    if (!isObject(owner) || seen.has(owner)) return
    seen.add(owner)
    for (const key of Reflect.ownKeys(owner)) {
      const is = Reflect.getOwnPropertyDescriptor(owner, key) as PropertyDescriptor
      for (const part of [is.value, is.get, is.set]) if (part !== Date) sealed(part)
      if (is.configurable)
        Object.defineProperty(owner, key, 'value' in is && isOverridden(owner) ? own(owner, key, is) : fixed(is))
    }
    Object.preventExtensions(owner)
    sealed(Object.getPrototypeOf(owner))
  }
  const fixed = (is: PropertyDescriptor): PropertyDescriptor => ({
    ...is,
    configurable: false,
    ...('value' in is && { writable: false }),
  })
  /** Objects are given methods of these names, and errors a name, by plain assignment: a property that is only read would forbid it. */
  const isOverridden = (owner: object) =>
    owner === Object.prototype || owner instanceof Error || owner === Error.prototype
  const own = (
    owner: object,
    key: PropertyKey,
    { value, enumerable = false }: PropertyDescriptor,
  ): PropertyDescriptor => ({
    enumerable,
    configurable: false,
    get: () => value,
    set(mine: unknown) {
      if (this === owner) throw new TypeError('what the language has is not changed here')
      Object.defineProperty(this, key, { value: mine, writable: true, enumerable: true, configurable: true })
    },
  })

  const open = new Set(['Math', 'Date', 'console', 'globalThis', 'performance'])
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (open.has(name)) continue
    const is = Reflect.getOwnPropertyDescriptor(globalThis, name) as PropertyDescriptor
    sealed(is.value)
    if (is.configurable) Object.defineProperty(globalThis, name, fixed(is))
  }
  // What no global names.
  const iterators = [[].values(), new Map().keys(), new Set().keys(), ''[Symbol.iterator](), 'a'.matchAll(/a/g)]
  const functions = [function* () {}, async () => {}, async function* () {}]
  for (const one of [...iterators, ...functions]) sealed(Object.getPrototypeOf(one))
  for (const made of [function* () {}.prototype, async function* () {}.prototype]) sealed(Object.getPrototypeOf(made))
  sealed(Date.prototype)
}
