/** Kinds of work as the sandbox does them: it computes nothing, and answers as the kind's schema says. */
import type { Employee, KindSpec } from '../catalogue.ts'
import { type KeptBrief, readBrief } from '../kept-brief.ts'
import type { Output } from '../output.ts'
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
  answerOf: ({ spec }: MockKind, dice: Dice, brief: string) => ({
    output: JSON.stringify(outputOf(spec, dice, readBrief(brief))),
    pieces: [],
  }),
} as const

function outputOf(spec: KindSpec, dice: Dice, { topic }: KeptBrief): Output {
  return {
    engine: { kind: 'mock', name: 'mock' },
    result: madeUp(spec.output_schema, dice),
    text: `${spec.title}${topic === '' ? '' : ` about ${topic}`}: made up by the sandbox.`,
    artifacts: [],
    citations: [],
    checks: [],
    warnings: ['The sandbox computes nothing: every value is made up.'],
  }
}
