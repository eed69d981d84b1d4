import { type Family, type Fault, failIf, families, type PlanNames } from '@millhand/api'
import type { Plans as PlansMessage } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import type { Plans } from '@millhand/plans'

/** The plans that a request names, the others as they are. Fails naming each that the plan file has not. */
export function requestedPlans(plans: Plans, named: PlansMessage | undefined, others: PlanNames): PlanNames {
  const faults = families.flatMap((family): Fault[] => {
    const name = named?.[family]
    if (!name || plans.names(family).includes(name)) return []
    const message = `\`plans.${family}\` must be one of ${plans.names(family).join(', ')}.`
    return [{ param: `plans.${family}`, code: 'not_in', message }]
  })
  failIf(faults)
  const of = (family: Family) => named?.[family] || others[family]
  return { compute: of('compute'), developer: of('developer'), workforce: of('workforce') }
}
