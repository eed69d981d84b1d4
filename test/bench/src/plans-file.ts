/** The project's own plans, with room for as much as a benchmark wants to have done. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '@millhand/test-e2e/server'

/** The environment of a server whose plans have this number in each field of this name. `folder` is for the file. */
export function plansWith(field: 'max_queued' | 'tasks_per_day', value: number, folder: string) {
  const file = join(folder, 'plans.yaml')
  const plans = readFileSync(join(repository, 'deploy/plans.yaml'), 'utf8')
  writeFileSync(file, plans.replaceAll(new RegExp(`${field}: \\d+`, 'g'), `${field}: ${value}`))
  return { MILLHAND_PLANS_FILE: file }
}
