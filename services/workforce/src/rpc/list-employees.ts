import type { JsonObject } from '@bufbuild/protobuf'
import type { EmployeeTask, ListEmployeesResponse } from '@millhand/api/gen/millhand/workforce/v1/employee_pb.ts'
import type { PublicKind } from '../employee.ts'
import { enginesOf } from '../engine-choice.ts'
import type { WorkforceDeps } from '../workforce-deps.ts'

/** Lists the employees, with all that a request to each must fit. It never changes while the service runs. */
export function listEmployees({
  employees,
  ...here
}: Pick<WorkforceDeps, 'employees' | 'languageModel' | 'imageModel'>) {
  const answer: ListEmployeesResponse = {
    $typeName: 'millhand.workforce.v1.ListEmployeesResponse',
    data: [...employees.values()].map(({ spec: { id, name, role, description, kinds } }) => ({
      $typeName: 'millhand.workforce.v1.Employee',
      id,
      name,
      role,
      description,
      tasks: kinds.map(kind => kindMessage(kind, here)),
    })),
    hasMore: false,
  }
  return async () => answer
}

const kindMessage = (kind: PublicKind, here: Parameters<typeof enginesOf>[1]): EmployeeTask => ({
  $typeName: 'millhand.workforce.v1.EmployeeTask',
  id: kind.id,
  title: kind.title,
  description: kind.description,
  inputSchema: kind.input_schema as JsonObject,
  outputSchema: kind.output_schema as JsonObject,
  engines: [...enginesOf(kind, here)],
  fields: kind.fields.map(({ name, title, description, by, media_types = [] }) => ({
    $typeName: 'millhand.workforce.v1.EmployeeTaskField',
    name,
    title,
    description,
    engines: [...by],
    mediaTypes: [...media_types],
  })),
  needs: [...(kind.needs ?? [])],
  example: { task: kind.id, ...kind.example } as JsonObject,
})
