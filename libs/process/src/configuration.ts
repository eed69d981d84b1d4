/** What a process is told by its environment: one typed schema, read once at the start. */
import { nearest } from '@millhand/api/nearest'
import type { Setting } from './setting.ts'

export type Schema = Readonly<Record<string, Setting<unknown>>>

export type Values<S extends Schema> = { readonly [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never }

/** One row of the documentation. */
export interface Described {
  readonly name: string
  /** As it would be written; absent where there is none. */
  readonly default?: string
  readonly required: boolean
  /** What may be written, in words. */
  readonly form: string
  readonly doc: string
}

export interface Configuration<S extends Schema> {
  /** The values. A variable that is empty counts as not set. @throws ConfigurationError naming all that is wrong */
  (env: Readonly<Record<string, string | undefined>>): Values<S>
  /** The schema as rows of a table, in its order. */
  describe(): Described[]
}

/** Every wrong variable, one line each; it never shows a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(['The configuration is wrong:', ...faults].join('\n  '))
    this.faults = faults
  }
}

/** Every variable of the environment that begins so has to be in the schema, so that a slip of the pen is noticed. */
const PREFIX = 'MILLHAND_'

/** `known`: names that other processes of the same deployment read; they may be set, and have no effect here. */
export function configuration<S extends Schema>(schema: S, known: readonly string[] = []): Configuration<S> {
  const read = (env: Readonly<Record<string, string | undefined>>): Values<S> => {
    const faults: string[] = []
    const values: Record<string, unknown> = {}
    for (const [name, setting] of Object.entries(schema)) {
      const text = env[name] || setting.default
      if (text === undefined) {
        if (!setting.optional) faults.push(`${name} has to be set. ${setting.doc}`)
        continue
      }
      const value = setting.read(text)
      if (value !== undefined) values[name] = value
      else faults.push(`${name} must be ${setting.form}${setting.secret ? '' : `; it is ${JSON.stringify(text)}`}.`)
    }
    const names = [...Object.keys(schema), ...known]
    for (const name of Object.keys(env)) {
      if (!name.startsWith(PREFIX) || names.includes(name)) continue
      const near = nearest(
        name.slice(PREFIX.length),
        names.map(known => known.slice(PREFIX.length)),
      )
      const hint = near === undefined ? 'docs/operating.md lists the settings.' : `Did you mean ${PREFIX}${near}?`
      faults.push(`${name} is not known. ${hint}`)
    }
    if (faults.length > 0) throw new ConfigurationError(faults)
    return Object.freeze(values) as Values<S>
  }
  return Object.assign(read, {
    describe: () =>
      Object.entries(schema).map(([name, setting]) => ({
        name,
        ...(setting.default !== undefined && { default: setting.default }),
        required: setting.default === undefined && !setting.optional,
        form: setting.form,
        doc: setting.doc,
      })),
  })
}
