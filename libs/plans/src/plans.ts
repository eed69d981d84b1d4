/** What accounts may do, by the plans that they have. */
import type { Family, PlanNames } from '@millhand/api'
import type { Log } from '@millhand/telemetry'
import type { ComputePlan, DeveloperPlan, WorkforcePlan } from './plan.ts'
import { type PlanFile, readPlanFile } from './plan-file.ts'
import { type Prices, pricesOf } from './prices.ts'

export interface Plans {
  /** By name. A plan that has gone from the file is what new accounts have, and the log hears of it once. */
  computePlan(name: string): ComputePlan
  developerPlan(name: string): DeveloperPlan
  workforcePlan(name: string): WorkforcePlan
  /** What an account has that nobody has given a plan. */
  readonly newAccount: PlanNames
  /** The names of a family, in the order of the file. */
  names(family: Family): readonly string[]
  readonly prices: Prices
}

/**
 * The plans of a file; those that come with Millhand where none is named.
 *
 * @throws ConfigurationError naming all that is wrong with it
 */
export function loadPlans(file?: string, log?: Pick<Log, 'warn'>): Plans {
  return plansOf(readPlanFile(file), log)
}

function plansOf(file: PlanFile, log: Pick<Log, 'warn'> | undefined): Plans {
  const missed = new Set<string>()
  const finder = <F extends Family>(family: F): ((name: string) => PlanFile[F][string]) => {
    // A Map, for names like `constructor` are none of the file's.
    const plans = new Map<string, PlanFile[F][string]>(Object.entries(file[family]))
    const fallback = plans.get(file.new_account[family]) as PlanFile[F][string]
    return name => {
      const plan = plans.get(name)
      if (plan !== undefined) return plan
      const missing = `${family}/${name}`
      if (!missed.has(missing) && missed.size < MOST_MISSED) {
        missed.add(missing)
        log?.warn('plan.unknown', { family, plan: name, instead: file.new_account[family] })
      }
      return fallback
    }
  }
  return {
    computePlan: finder('compute'),
    developerPlan: finder('developer'),
    workforcePlan: finder('workforce'),
    newAccount: file.new_account,
    names: family => Object.keys(file[family]),
    prices: pricesOf(file.prices),
  }
}

/** Names come from accounts: nobody fills the memory, or the log, with them. */
const MOST_MISSED = 1_000
