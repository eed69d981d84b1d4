/** The employees and what they can do, as their folders say. Imports none of the kinds' code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineKind, PublicEmployee, PublicKind, Schema } from '@millhand/workforce/employee'
import { fieldsOf } from './common-fields.ts'

/** An employee with the code of their kinds. */
export interface Employee extends PublicEmployee {
  readonly kinds: readonly KindSpec[]
}

/** A kind of work with what is needed to run it. */
export interface KindSpec extends PublicKind {
  /** What a language model says, where that is not the result: `phrase.ts` makes the result of it. */
  readonly words_schema?: Schema
  /** Where its code is. */
  readonly folder: string
}

const EMPLOYEES = join(import.meta.dirname, '..')

/** Reads the folders, those of `root` where it is given. Throws where one lacks a file or has one that is no JSON. */
export function readCatalogue(root = EMPLOYEES): readonly Employee[] {
  return foldersWith('employee.json', root).map(id => {
    const folder = join(root, id)
    const { name, role, description } = readJson(join(folder, 'employee.json'))
    const kinds = foldersWith('kind.json', folder)
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
    fields: fieldsOf(heeds),
    example: readJson(join(folder, 'example.json')),
    folder,
  }
}

/** What a kind has an engine by. */
const codeOf: Readonly<Record<EngineKind, string>> = { rules: 'engine.ts', llm: 'prompt.md' }

const foldersWith = (file: string, folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap(entry => (entry.isDirectory() && existsSync(join(folder, entry.name, file)) ? entry.name : []))
    .toSorted()

function readJson(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path} can't be read: ${cause}`, { cause })
  }
}
