/** Headers as a tunnel carries them: names and values in turn. */
import type { Lines } from './frames.ts'

type HeaderInit = ConstructorParameters<typeof Headers>[0]

/** A request header that is read without being made into `Headers`, which most calls never look at. */
export class HeaderLines implements Iterable<[string, string]> {
  readonly #lines: readonly string[]

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  /** The value of the first line of a name in lower case; null where there is none, as in `Headers`. */
  get(name: string): string | null {
    const lines = this.#lines
    for (let i = 0; i + 1 < lines.length; i += 2) if (lines[i] === name) return lines[i + 1] as string
    return null
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    const lines = this.#lines
    for (let i = 0; i + 1 < lines.length; i += 2) yield [lines[i] as string, lines[i + 1] as string]
  }
}

/** @throws TypeError when a name or a value may not be in a header */
export function linesOf(init: HeaderInit): Lines {
  if (init === undefined) return []
  const lines: Lines = []
  for (const [name, value] of init instanceof Headers ? init : new Headers(init)) lines.push(name, value)
  return lines
}

/** The header of an answer. */
export function headersOf(lines: readonly string[]): Headers {
  const headers = new Headers()
  for (const [name, value] of new HeaderLines(lines)) headers.append(name, value)
  return headers
}
