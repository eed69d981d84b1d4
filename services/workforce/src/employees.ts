/** The employees as the service knows them: what can be asked of each, and what is checked of a request. */
import { fail } from '@millhand/api'
import type { PublicEmployee, PublicKind } from './employee.ts'
import { type InputFaults, inputFaults } from './input-validation.ts'

export type Employees = ReadonlyMap<string, KnownEmployee>

interface KnownEmployee {
  readonly spec: PublicEmployee
  readonly kinds: ReadonlyMap<string, KnownKind>
}

interface KnownKind {
  readonly spec: PublicKind
  /** What is wrong with an input. */
  readonly faultsIn: InputFaults
}

/** Throws where an input schema is none. */
export const knownEmployees = (catalogue: readonly PublicEmployee[]): Employees =>
  new Map(
    catalogue.map(spec => [
      spec.id,
      { spec, kinds: new Map(spec.kinds.map(kind => [kind.id, { spec: kind, faultsIn: inputFaults(kind) }])) },
    ]),
  )

/** The employee, or a failure that names those there are. */
export function requireKnown(employees: Employees, id: string): KnownEmployee {
  const employee = employees.get(id)
  if (employee !== undefined) return employee
  throw fail(
    'not_found',
    `There is no employee \`${id.slice(0, 64)}\`. There are ${[...employees.keys()].join(', ')}.`,
    {
      param: 'employee',
    },
  )
}
