/** Runs a kind's engine of rules on a brief and measures what it gives. For the process that runs engines. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Schema } from '@millhand/workforce/employee'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer, Check } from './answer.ts'
import type { Brief } from './brief.ts'
import type { KindSpec } from './catalogue.ts'
import type { Asked, Checks, Rules, SlowChecks } from './kind.ts'

/** What is needed of a kind to run it. */
export type RunKind = Pick<KindSpec, 'employee' | 'id' | 'folder' | 'output_schema' | 'words_schema'>

export interface Measured {
  readonly answer: Answer
  readonly checks: readonly Check[]
}

/**
 * Rejects with the engine's `Refusal`; with a `BadAnswer` where the answer is not what the kind's output schema says.
 * The brief's input has been checked before.
 */
export async function runRules(kind: RunKind, brief: Brief, asked: Asked = {}): Promise<Measured> {
  const { rules }: { rules: Rules<unknown, unknown> } = await importOf(kind, 'engine.ts')
  return await measured(kind, brief, await rules(brief, asked), asked)
}

/** The answer with what the kind measures on it. Rejects with a `BadAnswer` as `runRules` does. */
export async function measured(kind: RunKind, brief: Brief, answer: Answer, asked: Asked = {}): Promise<Measured> {
  const faults = faultsOf(kind.output_schema, answer.result)
  if (faults !== undefined) throw new BadAnswer(`${kind.employee} ${kind.id}: ${faults}`)
  const { checks }: { checks: Checks<unknown, unknown> | SlowChecks<unknown, unknown> } = await importOf(
    kind,
    'checks.ts',
  )
  return { answer, checks: await checks(brief, answer, asked) }
}

/** An engine broke its word: its answer is not of the kind's output schema. */
export class BadAnswer extends Error {}

/** What is wrong with a value, in words; undefined where it is as the schema says. */
export function faultsOf(schema: Schema, value: unknown): string | undefined {
  ajv ??= loadAjv()
  const validate = ajv.compile(schema)
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'result' })
}

let ajv: Ajv2020 | undefined

/** With the first schema: it is a hundred modules, and the process that starts those of the kinds may never need them. */
function loadAjv(): Ajv2020 {
  const require = createRequire(import.meta.url)
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const made = new Ajv2020({ strict: true, allErrors: false, allowUnionTypes: true })
  const addFormats = require('ajv-formats') as typeof import('ajv-formats')
  addFormats.default(made)
  return made
}

/** The code of a kind. */
export const importOf = (kind: RunKind, file: string) => import(pathToFileURL(join(kind.folder, file)).href)
