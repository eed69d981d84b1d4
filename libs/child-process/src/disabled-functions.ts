/** Replaces what is to be closed, for good. */

// biome-ignore lint/suspicious/noExplicitAny: much of it has no types.
type Any = any

export function close(owner: Any, names: readonly string[]): void {
  for (const name of names) if (typeof owner[name] === 'function') fix(owner, name, closed(name))
}

export const closed = (name: string) =>
  function closed() {
    throw refused(name)
  }

export function fix(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: true })
}

export const refused = (what: string): Error =>
  Object.assign(new Error(`The work of a child process has no access to ${what}.`), { code: 'ERR_ACCESS_DENIED' })
