/** How the analysis does on tables of which it is known what is in them. */
import { typed } from '../../table/columns.ts'
import { readRows } from '../../table/json.ts'
import { analyse } from '../analyse.ts'
import type { Finding } from '../result.ts'
import { noise } from './noise.ts'
import { type Planted, planted } from './planted.ts'

export interface Verdict {
  readonly planted: Planted
  readonly found: boolean
  /** Beside what was planted. */
  readonly others: readonly Finding[]
}

export async function onPlanted(): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const one of planted()) {
    const findings = await findingsIn(one.rows)
    const isIt = ({ kind, columns }: Finding) => kind === one.kind && one.columns.every(name => columns.includes(name))
    verdicts.push({ planted: one, found: findings.some(isIt), others: findings.filter(finding => !isIt(finding)) })
  }
  return verdicts
}

/** What was found in each of so many tables of noise. */
export async function onNoise(tables: number, level?: number, make = noise): Promise<(readonly Finding[])[]> {
  const found: (readonly Finding[])[] = []
  for (let seed = 1; seed <= tables; seed++) found.push(await findingsIn(make(seed), level))
  return found
}

async function findingsIn(rows: readonly object[], level?: number): Promise<readonly Finding[]> {
  return (await analyse(typed(readRows(rows, 'rows')), { level })).analysis.findings
}
