/** The product as it starts by itself, with an account that may have as much done as a benchmark wants. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KindSpec, readCatalogue } from '@millhand/employees/catalogue'
import { repository, type Server } from '@millhand/test-e2e/server'
import type { LoadPlan, Workbench } from '../../workbench.ts'

export function serverWithoutQuota(workbench: Workbench): Promise<Server> {
  const file = join(workbench.folder(), 'plans.yaml')
  const plans = readFileSync(join(repository, 'deploy/plans.yaml'), 'utf8')
  writeFileSync(file, plans.replaceAll(/tasks_per_day: \d+/g, 'tasks_per_day: 1000000'))
  return workbench.server({ env: { MILLHAND_PLANS_FILE: file } })
}

export const kindsOfRules = (): readonly KindSpec[] =>
  readCatalogue().flatMap(({ kinds }) => kinds.filter(({ engines }) => engines.includes('rules')))

/** A create that is answered with the end of the task. */
export const requestOf = ({ employee, id }: KindSpec, brief: object): LoadPlan['requests'][number] => ({
  method: 'POST',
  path: `/v1/workforce/${employee}/tasks`,
  body: JSON.stringify({ ...brief, task: id, engine: 'rules' }),
  wait: 60,
})
