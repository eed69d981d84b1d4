/** The families of plans. An account has a plan of each; docs/limits.md says what they limit. */
export const families = ['compute', 'developer', 'workforce'] as const
export type Family = (typeof families)[number]

/** A plan of each family, by its name in the plan file. */
export type PlanNames = Readonly<Record<Family, string>>
