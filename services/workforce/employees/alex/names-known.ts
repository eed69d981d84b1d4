/** Names that are there without being declared: of this runtime, of browsers, of CommonJS and of the usual test runners. */
export const namesKnown: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...'window document location history localStorage sessionStorage alert confirm prompt self Element HTMLElement Node Event CustomEvent MutationObserver ResizeObserver IntersectionObserver requestAnimationFrame cancelAnimationFrame FileReader Image XMLHttpRequest getComputedStyle Worker WebSocket IDBKeyRange indexedDB customElements require module exports __dirname __filename describe it test expect before after beforeEach afterEach beforeAll afterAll jest vi $ jQuery React JSX Deno Bun'.split(
    ' ',
  ),
])
