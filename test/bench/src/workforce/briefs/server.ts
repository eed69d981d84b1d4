/** The product as it starts by itself, with an account that may have as much done as a benchmark wants. */
import { type KindSpec, readCatalogue } from '@millhand/employees/catalogue'
import type { Server } from '@millhand/test-e2e/server'
import { plansWith } from '../../plans-file.ts'
import type { LoadPlan, Workbench } from '../../workbench.ts'

export const serverWithoutQuota = (workbench: Workbench): Promise<Server> =>
  workbench.server({ env: plansWith('tasks_per_day', 1_000_000, workbench.folder()) })

export const kindsOfRules = (): readonly KindSpec[] =>
  readCatalogue().flatMap(({ kinds }) => kinds.filter(({ engines }) => engines.includes('rules')))

/** A create that is answered with the end of the task. */
export const requestOf = ({ employee, id }: KindSpec, brief: object): LoadPlan['requests'][number] => ({
  method: 'POST',
  path: `/v1/workforce/${employee}/tasks`,
  body: JSON.stringify({ ...brief, task: id, engine: 'rules' }),
  wait: 60,
})
