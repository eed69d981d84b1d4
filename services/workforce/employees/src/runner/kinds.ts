/** The kinds of work as what an executor loads. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Loadable, Loadables } from '@millhand/child-process'
import type { Employee, KindSpec } from '../catalogue.ts'
import { defaultProcessorLimit, type ProcessorLimit } from './processor-limit.ts'

export interface LoadableKind extends Loadable {
  readonly spec: KindSpec
  /** Whether its engine needs code that is not JavaScript. */
  readonly native: boolean
  /** What it may ask the executor for, beside a language model. */
  readonly asks: readonly Askable[]
  readonly processor: ProcessorLimit
}

type Askable = 'embedding' | 'isolate'

/** By `<employee>/<kind>`, the group of their tasks. */
export function loadableKinds(employees: readonly Employee[]): Loadables<LoadableKind> {
  const kinds = new Map(
    employees.flatMap(({ kinds }) => kinds.map(spec => [`${spec.employee}/${spec.id}`, loadable(spec)])),
  )
  return { get: id => kinds.get(id) }
}

function loadable(spec: KindSpec): LoadableKind {
  const written = readFileSync(join(spec.folder, 'kind.json'), 'utf8')
  const { native = false, asks = [], processor_s: processor = defaultProcessorLimit }: Written = JSON.parse(written)
  const { folder: _, ...said } = spec
  const version = `sha256:${createHash('sha256').update(JSON.stringify(said)).digest('hex')}`
  return { status: 'ready', id: `${spec.employee}/${spec.id}`, version, spec, native, asks, processor }
}

/** What `kind.json` has for executors alone. */
interface Written {
  readonly native?: boolean
  readonly asks?: readonly Askable[]
  readonly processor_s?: ProcessorLimit
}
