/** `__DEV__`, `__VERSION__` and the like, which a build puts values in place of. */
export const isBuildConstant = (name: string): boolean => /^__[A-Z\d_]+__$/.test(name)

/** Names that are there without being declared: of this runtime, of browsers, of CommonJS and of the usual test runners. */
export const namesKnown: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...'window document location history localStorage sessionStorage alert confirm prompt self Element HTMLElement Node Event CustomEvent MutationObserver ResizeObserver IntersectionObserver requestAnimationFrame cancelAnimationFrame FileReader Image XMLHttpRequest getComputedStyle Worker WebSocket IDBKeyRange indexedDB customElements require module exports __dirname __filename describe it test expect before after beforeEach afterEach beforeAll afterAll jest vi $ jQuery React JSX Deno Bun'.split(
    ' ',
  ),
])
