/** The employees and what they can do, as their folders say. Imports none of the kinds' code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommonField, Heeded } from './common-fields.ts'

/** A JSON Schema, 2020-12. */
export type Schema = Readonly<Record<string, unknown>>

export type EngineKind = 'rules' | 'llm'

export interface Employee {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly description: string
  readonly kinds: readonly KindSpec[]
}

/** What is known of a kind of work without running it. */
export interface KindSpec {
  readonly id: string
  readonly employee: string
  readonly title: string
  readonly description: string
  readonly engines: readonly EngineKind[]
  readonly input_schema: Schema
  readonly output_schema: Schema
  /** What a language model says, where that is not the result: `phrase.ts` makes the result of it. */
  readonly words_schema?: Schema
  /** For which values of which inputs it needs an image model: `depict.ts` does those. */
  readonly image_model?: Readonly<Record<string, readonly unknown[]>>
  /** Of which at least one must be given: `topic`, `files`, and fields of the input as `input.facts`. */
  readonly needs?: readonly string[]
  /** Those of the fields beside `input` that have an effect. */
  readonly heeds: Readonly<Partial<Record<CommonField, Heeded>>>
  /** A request that works, without `task`. */
  readonly example: Readonly<Record<string, unknown>>
  /** Where its code is. */
  readonly folder: string
}

const EMPLOYEES = join(import.meta.dirname, '../employees')

/** Reads the folders, those of `root` where it is given. Throws where one lacks a file or has one that is no JSON. */
export function readCatalogue(root = EMPLOYEES): readonly Employee[] {
  return foldersOf(root).map(id => {
    const folder = join(root, id)
    const { name, role, description } = readJson(join(folder, 'employee.json'))
    const kinds = foldersOf(folder).filter(kind => existsSync(join(folder, kind, 'kind.json')))
    return { id, name, role, description, kinds: kinds.map(kind => readKind(id, kind, join(folder, kind))) }
  })
}

function readKind(employee: string, id: string, folder: string): KindSpec {
  const { title, description, image_model, needs, heeds = {} } = readJson(join(folder, 'kind.json'))
  const engines = (['rules', 'llm'] as const).filter(engine => existsSync(join(folder, codeOf[engine])))
  const words = join(folder, 'words.schema.json')
  return {
    id,
    employee,
    title,
    description,
    engines,
    input_schema: readJson(join(folder, 'input.schema.json')),
    output_schema: readJson(join(folder, 'output.schema.json')),
    ...(existsSync(words) && { words_schema: readJson(words) }),
    ...(image_model && { image_model }),
    ...(needs && { needs }),
    heeds,
    example: readJson(join(folder, 'example.json')),
    folder,
  }
}

/** What a kind has an engine by. */
const codeOf: Readonly<Record<EngineKind, string>> = { rules: 'engine.ts', llm: 'prompt.md' }

const foldersOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap(entry => (entry.isDirectory() ? entry.name : []))
    .toSorted()

function readJson(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path} can't be read: ${cause}`, { cause })
  }
}
