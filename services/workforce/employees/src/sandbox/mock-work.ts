/** Kinds of work as the sandbox does them: it computes nothing, and answers as the kind's schema says. */
import type { KeptBrief, Output } from '@millhand/workforce/employee'
import type { Employee, KindSpec } from '../catalogue.ts'
import { faultsOf } from '../run-rules.ts'
import { type Dice, madeUp } from './made-up.ts'

/** A kind of work as something that can be loaded. */
export interface MockKind {
  readonly status: 'ready'
  readonly id: string
  readonly version: string
  readonly spec: KindSpec
}

/** By their id, `<employee>/<kind>`. */
export const mockKinds = (employees: readonly Employee[]): ReadonlyMap<string, MockKind> =>
  new Map(
    employees
      .flatMap(({ kinds }) => kinds)
      .map(spec => [
        `${spec.employee}/${spec.id}`,
        { status: 'ready', id: `${spec.employee}/${spec.id}`, version: 'mock', spec },
      ]),
  )

export const mockWork = {
  loads: 'engine',
  /** Where a brief may ask the sandbox for something. */
  askingPart: (brief: string): string => readBrief(brief).topic,
  outputOf: ({ spec }: MockKind, dice: Dice, brief: string) => ({
    output: JSON.stringify(outputOf(spec, dice, readBrief(brief))),
    pieces: [],
  }),
} as const

/** Throws where what was made up is not valid by the kind's schema: the sandbox breaks its word then. */
function outputOf(spec: KindSpec, dice: Dice, { topic }: KeptBrief): Output {
  const result = madeUp(spec.output_schema, dice)
  const faults = faultsOf(spec.output_schema, result)
  if (faults !== undefined) throw new Error(`the sandbox made up no result of ${spec.employee} ${spec.id}: ${faults}`)
  return {
    engine: { kind: 'mock', name: 'mock' },
    result,
    text: `${spec.title}${topic === '' ? '' : ` about ${topic}`}: made up by the sandbox.`,
    artifacts: [],
    citations: [],
    checks: [],
    warnings: ['The sandbox computes nothing: every value is made up.'],
  }
}

const readBrief = (text: string): KeptBrief => JSON.parse(text)
